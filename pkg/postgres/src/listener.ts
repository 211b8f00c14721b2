import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'

export interface ListenerOptions {
  connectionString: string
  channel: string
  applicationName: string
  onMessage: (payload: string) => void
  /** The connection was lost; it is tried again by itself, and what was said meanwhile is lost. */
  onLost?: (error: Error) => void
}

export interface Listener {
  close(): Promise<void>
}

const firstWaitMs = 100
const maxWaitMs = 5_000
/** Finds out that the server is gone although no packet said so. */
const pingEveryMs = 5_000

/** Hears NOTIFY on a connection of its own, for as long as it is open. Hints only: a poll must stand behind it. */
export function listen(options: ListenerOptions): Listener {
  const closing = new AbortController()
  const ended = run(options, closing.signal)
  return {
    async close() {
      closing.abort()
      await ended
    },
  }
}

async function run(options: ListenerOptions, signal: AbortSignal): Promise<void> {
  let waitMs = firstWaitMs
  while (!signal.aborted) {
    try {
      await hear(options, signal, () => {
        waitMs = firstWaitMs
      })
    } catch (error) {
      if (!signal.aborted) options.onLost?.(error as Error)
    }
    await delay(waitMs * (0.5 + Math.random() / 2), undefined, { signal }).catch(() => undefined)
    waitMs = Math.min(maxWaitMs, waitMs * 2)
  }
}

/** Ends when the connection does. */
async function hear(options: ListenerOptions, signal: AbortSignal, connected: () => void): Promise<void> {
  const client = new pg.Client({
    connectionString: options.connectionString,
    application_name: options.applicationName,
    connectionTimeoutMillis: pingEveryMs,
    query_timeout: pingEveryMs,
    keepAlive: true,
  })
  const lost = new Promise<never>((_, reject) => {
    client.on('error', reject)
    client.on('end', () => reject(new Error('the connection ended')))
    signal.addEventListener('abort', () => reject(new Error('closed')), { once: true })
  })
  lost.catch(() => undefined)
  client.on('notification', (message) => options.onMessage(message.payload ?? ''))
  try {
    await client.connect()
    await client.query(`listen ${client.escapeIdentifier(options.channel)}`)
    connected()
    while (!signal.aborted) {
      const pause = new AbortController()
      await Promise.race([delay(pingEveryMs, undefined, { signal: pause.signal }), lost]).finally(() => pause.abort())
      await client.query('select 1')
    }
  } finally {
    await client.end().catch(() => undefined)
  }
}
