import { useEffect, useMemo, useState } from 'react'
import type { Api } from '../api/client'
import { ApiError } from '../api/problem'
import type { Graph } from '../api/types'
import type { LineFault } from '../editor/yaml-editor'
import { type Fault, type Validation, validateYaml } from './workflow-queries'

const pauseMs = 250

interface Checked {
  /** At their lines. */
  faults: readonly LineFault[]
  /** Without a line. */
  unplaced: readonly Fault[]
  /** Of the last text that had one: the drawing does not vanish with every half-typed word. */
  graph: Graph | undefined
  busy: boolean
}

/** Asks the API what it thinks of a definition, a moment after typing stops. */
export function useValidation(api: Api, text: string): Checked {
  const [answer, setAnswer] = useState<Validation>()
  const [graph, setGraph] = useState<Graph>()
  const [checked, setChecked] = useState('')
  useEffect(() => {
    let current = true
    const timer = setTimeout(async () => {
      const found = await validateYaml(api, text).catch(asFaults)
      if (!current) return
      setAnswer(found)
      setChecked(text)
      if (found.graph) setGraph(found.graph)
    }, pauseMs)
    return () => {
      current = false
      clearTimeout(timer)
    }
  }, [api, text])
  return useMemo(() => {
    const errors = answer?.errors ?? []
    const faults = errors.flatMap(({ line, path, message }) =>
      line === undefined ? [] : [{ line, message: path ? `${path}: ${message}` : message }],
    )
    return { faults, unplaced: errors.filter(({ line }) => line === undefined), graph, busy: checked !== text }
  }, [answer, graph, checked, text])
}

/** Text that is no YAML at all is refused as a whole, with the place in the problem. */
function asFaults(error: unknown): Validation {
  const problem = error instanceof ApiError ? error.problem : undefined
  const errors = problem?.errors ?? [
    { path: '', code: 'unknown', message: error instanceof Error ? error.message : String(error) },
  ]
  return { valid: false, errors, graph: null }
}
