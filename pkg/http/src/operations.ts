import type { Logger } from '@millrace/logger'
import { scrape } from '@millrace/telemetry'
import type { Readiness } from './types.js'

export interface PlainReply {
  status: number
  contentType: string
  body: string
}

/** `accept` is the header of that name. */
export type Operation = (accept: string | undefined) => Promise<PlainReply>

const json = (status: number, body: unknown): PlainReply => ({
  status,
  contentType: 'application/json',
  body: JSON.stringify(body),
})

/** What every listener serves beside its routes. Of these /metrics is for the inside alone. */
export function operationsOf(
  readiness: () => Promise<Readiness>,
  isStopping: () => boolean,
  logger: Logger,
): Map<string, Operation> {
  return new Map<string, Operation>([
    ['/healthz', () => Promise.resolve(json(200, { status: 'ok' }))],
    [
      '/readyz',
      async () => {
        if (isStopping()) return json(503, { status: 'stopping', dependencies: {} })
        const { ok, dependencies } = await readiness().catch((error: unknown): Readiness => {
          logger.warn({ err: error }, 'readiness check failed')
          return { ok: false, dependencies: {} }
        })
        return json(ok ? 200 : 503, { status: ok ? 'ready' : 'unavailable', dependencies })
      },
    ],
    ['/metrics', async (accept) => ({ status: 200, ...(await scrape(accept)) })],
  ])
}
