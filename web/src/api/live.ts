import { type QueryClient, useQueryClient } from '@tanstack/react-query'
import { useEffect, useSyncExternalStore } from 'react'
import { useAwake } from './awake'
import type { Api } from './client'
import { isStatus } from './problem'
import { useSignedIn } from './session'
import { followEvents } from './sse'
import { hasRunEnded, type Run } from './types'

/** How lists on screen learn of changes: by the project's stream, or by asking again where there is none. */
export type LiveState = 'connecting' | 'live' | 'reconnecting' | 'polling'

export const pollMs = 4_000
/** Changes come in bursts; lists are read anew at most this often. */
const batchMs = 700

let state: LiveState = 'connecting'
const listeners = new Set<() => void>()

function setState(next: LiveState): void {
  state = next
  for (const listener of listeners) listener()
}

export const useLiveState = (): LiveState =>
  useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => state,
  )

/** For queries of lists. With the stream it stays slow: changes of what the stream does not carry are still seen. */
export const useRefetchInterval = (): number => (useLiveState() === 'live' ? 30_000 : pollMs)

/** Keeps the lists of a project fresh while they are on screen. Used once, by the shell. */
export function useProjectEvents(api: Api): void {
  const client = useQueryClient()
  const signedIn = useSignedIn()
  const awake = useAwake()
  useEffect(() => {
    // Whatever was missed is read once somebody looks again.
    if (!awake) return () => void client.invalidateQueries({ queryKey: [api.project] })
    if (!signedIn) return undefined
    const stream = new AbortController()
    void follow(api, client, stream.signal)
    return () => stream.abort()
  }, [api, client, signedIn, awake])
}

/** A run that goes on has a stream of its own; one that ended has none, and may be retried by somebody else. */
const isFollowed = (data: unknown): boolean => {
  const { status } = (data ?? {}) as Partial<Run>
  return status !== undefined && !hasRunEnded(status)
}

/** Read anew when a run of that schedule changes: of a rare one many other runs are looked at. */
export const runsOfScheduleKey = (api: Api, id: string) => [api.project, 'schedule', id, 'runs']

async function follow(api: Api, client: QueryClient, signal: AbortSignal): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const changed = new Set<unknown>()
  const schedules = new Set<string>()
  const refresh = () => {
    timer = undefined
    void client.invalidateQueries({ queryKey: [api.project, 'live'] })
    for (const id of schedules) void client.invalidateQueries({ queryKey: runsOfScheduleKey(api, id) })
    schedules.clear()
    void client.invalidateQueries({
      queryKey: [api.project, 'run'],
      predicate: ({ queryKey, state }) => changed.has(queryKey[2]) && !isFollowed(state.data),
    })
    changed.clear()
  }
  signal.addEventListener('abort', () => clearTimeout(timer))
  try {
    await followEvents({
      api,
      path: '/api/v1/events?types=run',
      signal,
      onState: setState,
      isOver: () => false,
      onEvent: ({ data }) => {
        const { id, labels } = data as Partial<Run>
        changed.add(id)
        if (labels?.schedule !== undefined) schedules.add(labels.schedule)
        timer ??= setTimeout(refresh, batchMs)
      },
    })
  } catch (error) {
    // A server without the project's stream: lists are asked for every few seconds instead.
    if (isStatus(error, 404)) setState('polling')
    else setState('reconnecting')
  }
}
