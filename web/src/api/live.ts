import { type QueryClient, useQueryClient } from '@tanstack/react-query'
import { useEffect, useSyncExternalStore } from 'react'
import type { Api } from './client'
import { isStatus } from './problem'
import { useSignedIn } from './session'
import { followEvents } from './sse'

/** How lists on screen learn of changes: by the project's stream, or by asking again where there is none. */
export type LiveState = 'connecting' | 'live' | 'reconnecting' | 'polling'

export const pollMs = 4_000
/** Changes come in bursts; lists are read anew at most this often. */
const batchMs = 700
/** A tab that is looked away from for this long gives its stream back. */
const hiddenMs = 15_000

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
  useEffect(() => {
    if (!signedIn) return undefined
    let stream: AbortController | undefined
    let hideTimer: ReturnType<typeof setTimeout> | undefined
    const open = () => {
      if (stream) return
      stream = new AbortController()
      void follow(api, client, stream.signal)
    }
    const close = () => {
      stream?.abort()
      stream = undefined
    }
    const onVisibility = () => {
      clearTimeout(hideTimer)
      if (document.hidden) hideTimer = setTimeout(close, hiddenMs)
      else if (!stream) {
        open()
        void client.invalidateQueries({ queryKey: [api.project] })
      }
    }
    open()
    document.addEventListener('visibilitychange', onVisibility)
    return () => {
      document.removeEventListener('visibilitychange', onVisibility)
      clearTimeout(hideTimer)
      close()
    }
  }, [api, client, signedIn])
}

async function follow(api: Api, client: QueryClient, signal: AbortSignal): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const refresh = () => {
    timer = undefined
    void client.invalidateQueries({ queryKey: [api.project, 'live'] })
  }
  signal.addEventListener('abort', () => clearTimeout(timer))
  try {
    await followEvents({
      api,
      path: '/api/v1/events?types=run',
      signal,
      onState: setState,
      isOver: () => false,
      onEvent: () => {
        timer ??= setTimeout(refresh, batchMs)
      },
    })
  } catch (error) {
    // A server without the project's stream: lists are asked for every few seconds instead.
    if (isStatus(error, 404)) setState('polling')
    else setState('reconnecting')
  }
}
