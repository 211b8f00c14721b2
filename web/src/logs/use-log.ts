import { useEffect, useRef, useState } from 'react'
import { useAwake } from '../api/awake'
import { ApiError, errorOf } from '../api/problem'
import { useSignedIn } from '../api/session'
import { pause } from '../api/sse'
import { useApi } from '../api/use-api'
import { appendLines, emptyLog, type LogBuffer, type LogLine, NdjsonSplitter } from './log-buffer'

const drawMs = 80
const retryMs = 1_500

export interface LogState {
  jobId: string
  buffer: LogBuffer
  state: 'reading' | 'following' | 'ended' | 'reconnecting'
  fault?: unknown
}

/** One job's log: what there is, then what comes, until the run ends. Lines are drawn in batches. */
export function useLog(jobId: string): LogState {
  const api = useApi()
  const [log, setLog] = useState<LogState>({ jobId, buffer: emptyLog, state: 'reading' })
  const signedIn = useSignedIn()
  const awake = useAwake()
  const over = useRef('')
  useEffect(() => {
    if (!signedIn || !awake || over.current === jobId) return undefined
    const abort = new AbortController()
    let pending: LogLine[] = []
    let timer: ReturnType<typeof setTimeout> | undefined
    const flush = () => {
      timer = undefined
      const lines = pending
      pending = []
      setLog((old) => ({ jobId, buffer: appendLines(old.buffer, lines), state: 'following' }))
    }
    const onLines = (lines: readonly LogLine[]) => {
      for (const line of lines) pending.push(line)
      if (lines.length > 0) timer ??= setTimeout(flush, drawMs)
    }
    const follow = async () => {
      while (!abort.signal.aborted) {
        try {
          const response = await api.fetch(`/api/v1/jobs/${jobId}/logs?follow=true`, { signal: abort.signal })
          if (!response.ok || !response.body) throw await errorOf(response)
          await readLines(response.body, onLines)
          clearTimeout(timer)
          flush()
          over.current = jobId
          setLog((old) => ({ ...old, state: 'ended' }))
          return
        } catch (error) {
          if (abort.signal.aborted) return
          // The metadata of a job may arrive a moment after its run shows it.
          const lasting = error instanceof ApiError && error.status < 500 && error.status !== 404
          setLog((old) => ({ ...old, state: 'reconnecting', ...(lasting ? { fault: error } : {}) }))
          if (lasting) return
          await pause(retryMs, abort.signal)
        }
      }
    }
    // Lines that were read before are told again, and not kept twice.
    setLog((old) => ({ jobId, buffer: old.jobId === jobId ? old.buffer : emptyLog, state: 'reading' }))
    void follow()
    return () => {
      abort.abort()
      clearTimeout(timer)
    }
  }, [api, jobId, signedIn, awake])
  return log
}

async function readLines(body: ReadableStream<Uint8Array>, onLines: (lines: LogLine[]) => void): Promise<void> {
  const splitter = new NdjsonSplitter()
  const decoder = new TextDecoder()
  const reader = body.getReader()
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return
    onLines(splitter.push(decoder.decode(value, { stream: true })))
  }
}
