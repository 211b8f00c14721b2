import { queryOptions, useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { useAwake } from '../api/awake'
import { type Api, read } from '../api/client'
import { useSignedIn } from '../api/session'
import { followEvents } from '../api/sse'
import { type Explanation, hasRunEnded, type Run } from '../api/types'
import { withLocalTimes } from '../ui/format'
import { applyChanges, type RunChange } from './run-changes'

export const runQuery = (api: Api, runId: string) =>
  queryOptions({
    queryKey: [api.project, 'run', runId],
    queryFn: () => read(api.client.GET('/api/v1/runs/{id}', { params: { path: { id: runId } } })),
    staleTime: 5_000,
  })

/** The version that the run executes: what it looked like then, not what it looks like now. */
export const versionQuery = (api: Api, name: string, version: number) =>
  queryOptions({
    queryKey: [api.project, 'version', name, version],
    queryFn: () => read(api.client.GET('/api/v1/workflows/{name}', { params: { path: { name }, query: { version } } })),
    staleTime: Number.POSITIVE_INFINITY,
    // A one-off job has no workflow, and one may have been deleted since.
    enabled: !name.startsWith('task:'),
    retry: false,
  })

export const explainQuery = (api: Api, runId: string) =>
  queryOptions({
    queryKey: [api.project, 'run', runId, 'explain'],
    queryFn: () => read(api.client.GET('/api/v1/runs/{id}/explain', { params: { path: { id: runId } } })),
  })

/** Neither ended, nor running, nor merely behind others that have not ended. */
const standing: ReadonlySet<string> = new Set(['waiting', 'queued', 'delayed'])

/** What a run waits for, in words. */
export const reasonsOf = (explanation: Explanation | undefined): string[] => [
  ...(explanation?.blockers ?? []).map(({ detail }) => withLocalTimes(detail)),
  ...(explanation?.tasks ?? [])
    .filter(({ status }) => standing.has(status))
    .map(({ key, why }) => `${key}: ${withLocalTimes(why)}`),
]

/** Changes as its children come and go. */
export const lineageQuery = (api: Api, runId: string) =>
  queryOptions({
    queryKey: [api.project, 'live', 'lineage', runId],
    queryFn: () => read(api.client.GET('/api/v1/runs/{id}/lineage', { params: { path: { id: runId } } })),
  })

const hiddenMs = 1_000

/** Once a frame; a tab that nobody sees draws no frames, and is brought up to date now and then. */
function beforeNextFrame(flush: () => void): () => void {
  if (document.hidden) {
    const timer = setTimeout(flush, hiddenMs)
    return () => clearTimeout(timer)
  }
  const frame = requestAnimationFrame(flush)
  return () => cancelAnimationFrame(frame)
}

/** The run, kept true by its own stream for as long as it goes on. */
export function useLiveRun(api: Api, runId: string) {
  const client = useQueryClient()
  const query = useQuery(runQuery(api, runId))
  const [behind, setBehind] = useState(false)
  const signedIn = useSignedIn()
  const awake = useAwake()
  const goesOn = signedIn && awake && query.data !== undefined && !hasRunEnded(query.data.status)
  useEffect(() => {
    if (!goesOn) return undefined
    const abort = new AbortController()
    const { queryKey } = runQuery(api, runId)
    let pending: RunChange[] = []
    let cancel: (() => void) | undefined
    const flush = () => {
      cancel = undefined
      const changes = pending
      pending = []
      client.setQueryData<Run>(queryKey, (old) => applyChanges(old, changes))
    }
    const stream = followEvents({
      api,
      path: `/api/v1/runs/${runId}/events`,
      signal: abort.signal,
      onState: (state) => setBehind(state === 'reconnecting'),
      isOver: () => {
        const run = client.getQueryData<Run>(queryKey)
        return run !== undefined && hasRunEnded(run.status)
      },
      onEvent: ({ event, data }) => {
        pending.push({ event, data } as RunChange)
        cancel ??= beforeNextFrame(flush)
      },
    })
    void stream
      .catch(() => undefined)
      .finally(() => {
        cancel?.()
        if (!abort.signal.aborted) flush()
      })
    return () => {
      abort.abort()
      cancel?.()
      setBehind(false)
    }
  }, [api, runId, goesOn, client])
  return { ...query, behind }
}
