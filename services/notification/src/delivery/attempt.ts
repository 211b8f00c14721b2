import { AppError } from '@millrace/errors'
import type { Attempt } from '../domain/delivery.js'

export interface Verdict {
  ok: boolean
  statusCode?: number
  error?: string
  responseSnippet?: string | null
  retryAfterMs?: number | undefined
  gone?: boolean
}

/** Times a try and turns whatever it throws into its error: a try never fails its caller. */
export async function attemptOf(run: () => Promise<Verdict>): Promise<Attempt> {
  const at = new Date()
  const started = performance.now()
  const verdict = await run().catch((error: unknown): Verdict => ({ ok: false, error: errorText(error) }))
  return {
    ok: verdict.ok,
    at,
    statusCode: verdict.statusCode ?? null,
    latencyMs: Math.round(performance.now() - started),
    error: verdict.error?.replaceAll('\0', '\ufffd') ?? null,
    responseSnippet: verdict.responseSnippet ?? null,
    retryAfterMs: verdict.retryAfterMs,
    gone: verdict.gone,
  }
}

/** A foreign error's own text may hold anything; only ours is shown. */
function errorText(error: unknown): string {
  return error instanceof AppError ? `${error.reason}: ${error.message}` : 'internal: The delivery could not be sent.'
}

const snippetBytes = 1024

/** What the receiver said, within 1 KiB also after invalid bytes became replacement characters; NUL cannot be stored. */
export function snippetOf(body: Buffer): string | null {
  const decoded = cut(body).replaceAll('\0', '\ufffd')
  const snippet = cut(Buffer.from(decoded))
  return snippet === '' ? null : snippet
}

const cut = (bytes: Buffer): string => new TextDecoder().decode(bytes.subarray(0, snippetBytes), { stream: true })
