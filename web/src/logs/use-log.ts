import { useEffect, useRef, useState } from 'react'
import { useAwake } from '../api/awake'
import type { Api } from '../api/client'
import { ApiError, errorOf } from '../api/problem'
import { useSignedIn } from '../api/session'
import { pause } from '../api/sse'
import { useApi } from '../api/use-api'
import { appendLines, emptyLog, type LogBuffer, type LogLine, NdjsonSplitter } from './log-buffer'

const drawMs = 80
const retryMs = 1_500
const mostAsked = 6

export interface LogState {
  jobId: string
  buffer: LogBuffer
  state: 'reading' | 'following' | 'ended' | 'reconnecting'
  fault?: unknown
}

/** Of the task, as its run tells it. */
export interface Followed {
  jobId: string
  attempt: number
  ended: boolean
}

/** One job's log: what there is, then what comes, until its task ends; again when it is retried. Lines are drawn in batches. */
export function useLog({ jobId, attempt, ended }: Followed): LogState {
  const api = useApi()
  const [log, setLog] = useState<LogState>({ jobId, buffer: emptyLog, state: 'reading' })
  const signedIn = useSignedIn()
  const awake = useAwake()
  const task = useRef({ attempt, ended })
  task.current = { attempt, ended }
  const place = useRef<Place>({ jobId, position: undefined, attempt: 0 })
  // A retry may be over before anybody saw that the task went on: its attempt tells.
  const [over, setOver] = useState({ jobId: '', attempt: 0 })
  const goesOn = signedIn && awake && !(ended && over.jobId === jobId && over.attempt >= attempt)
  useEffect(() => {
    if (!goesOn) return undefined
    const abort = new AbortController()
    let pending: LogLine[] = []
    let timer: ReturnType<typeof setTimeout> | undefined
    const flush = () => {
      clearTimeout(timer)
      timer = undefined
      const lines = pending
      pending = []
      setLog((old) => ({ jobId, buffer: appendLines(old.buffer, lines), state: 'following' }))
    }
    const onLines = (lines: readonly LogLine[]) => {
      for (const line of lines) pending.push(line)
      const last = lines.at(-1)
      if (last) place.current = { jobId, position: last.position, attempt: last.attempt }
      if (lines.length > 0) timer ??= setTimeout(flush, drawMs)
    }
    const follow = async () => {
      for (let asked = 1; !abort.signal.aborted; asked += 1) {
        try {
          await readFrom(api, place.current, abort.signal, onLines)
          flush()
          // Whoever answers may not have heard yet that the task was retried. Not every attempt has lines.
          const { attempt: at, ended: isOver } = task.current
          if (isOver && (place.current.attempt >= at || asked >= mostAsked)) {
            setOver({ jobId, attempt: at })
            setLog((old) => ({ ...old, state: 'ended' }))
            return
          }
        } catch (error) {
          if (abort.signal.aborted) return
          // The metadata of a job may arrive a moment after its run shows it.
          const lasting = error instanceof ApiError && error.status < 500 && error.status !== 404
          setLog((old) => ({ ...old, state: 'reconnecting', ...(lasting ? { fault: error } : {}) }))
          if (lasting) return
        }
        await pause(retryMs, abort.signal)
      }
    }
    if (place.current.jobId !== jobId) place.current = { jobId, position: undefined, attempt: 0 }
    setLog((old) => ({ jobId, buffer: old.jobId === jobId ? old.buffer : emptyLog, state: 'reading' }))
    void follow()
    return () => {
      abort.abort()
      // What was read and not drawn yet is behind the place to go on from.
      if (timer) flush()
    }
  }, [api, jobId, goesOn])
  return log
}

/** Where to go on: behind the last line that was read. */
interface Place {
  jobId: string
  position: string | undefined
  attempt: number
}

async function readFrom(
  api: Api,
  { jobId, position }: Place,
  signal: AbortSignal,
  onLines: (lines: LogLine[]) => void,
): Promise<void> {
  const after = position === undefined ? '' : `&after=${encodeURIComponent(position)}`
  const response = await api.fetch(`/api/v1/jobs/${jobId}/logs?follow=true${after}`, { signal })
  if (!response.ok || !response.body) throw await errorOf(response)
  const splitter = new NdjsonSplitter()
  const decoder = new TextDecoder()
  const reader = response.body.getReader()
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return
    onLines(splitter.push(decoder.decode(value, { stream: true })))
  }
}
