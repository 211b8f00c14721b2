import { EventSourceParserStream } from 'eventsource-parser/stream'
import type { Api } from './client'
import { ApiError, errorOf } from './problem'

export interface StreamEvent {
  event: string
  id: string | undefined
  data: unknown
}

export interface StreamOptions {
  api: Api
  path: string
  signal: AbortSignal
  onEvent: (event: StreamEvent) => void
  onState: (state: 'live' | 'reconnecting') => void
  /** The server ended the stream; true: it is over, false: connect again. */
  isOver: () => boolean
}

const firstRetryMs = 500
const lastRetryMs = 15_000

/**
 * Server-sent events over fetch, which can send the Authorization header. Reconnects with growing pauses and resumes from
 * the last event; gives up, by throwing, only where asking again cannot help.
 */
export async function followEvents(options: StreamOptions): Promise<void> {
  const { signal } = options
  let lastId: string | undefined
  let waitMs = firstRetryMs
  while (!signal.aborted) {
    try {
      for await (const event of connect(options, lastId)) {
        waitMs = firstRetryMs
        lastId = event.id ?? lastId
        options.onEvent(event)
      }
      if (options.isOver()) return
    } catch (error) {
      if (signal.aborted) return
      if (error instanceof ApiError && error.status < 500 && error.status !== 408 && error.status !== 429) throw error
    }
    options.onState('reconnecting')
    await pause(waitMs * (0.7 + Math.random() * 0.6), signal)
    waitMs = Math.min(lastRetryMs, waitMs * 2)
  }
}

async function* connect(options: StreamOptions, lastId: string | undefined): AsyncGenerator<StreamEvent> {
  const response = await options.api.fetch(options.path, {
    headers: { accept: 'text/event-stream', ...(lastId === undefined ? {} : { 'last-event-id': lastId }) },
    signal: options.signal,
  })
  if (!response.ok || !response.body) throw await errorOf(response)
  options.onState('live')
  const events = response.body
    .pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array<ArrayBuffer>>)
    .pipeThrough(new EventSourceParserStream())
  const reader = events.getReader()
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return
    yield { event: value.event ?? 'message', id: value.id, data: JSON.parse(value.data) as unknown }
  }
}

export function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(done, ms)
    function done() {
      clearTimeout(timer)
      signal.removeEventListener('abort', done)
      resolve()
    }
    signal.addEventListener('abort', done)
  })
}
