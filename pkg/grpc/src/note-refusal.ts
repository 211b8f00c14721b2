import type { AppError } from '@millrace/errors'
import { first } from './authenticate.js'
import type { ServerCallContext } from './call-context.js'

export interface GrpcRefusal {
  /** Empty for a service: it belongs to none. */
  projectId: string
  actor: string
  role?: string
  /** The method and the reason, such as `DispatchService/LeaseTasks:session_not_owned`. */
  target: string
  ip: string
  requestId: string
}

export type OnRefusal = (refusal: GrpcRefusal) => void

const refusals: ReadonlySet<string> = new Set(['permission_denied', 'rate_limited'])

/** Of a caller who is known: a user, a key or a service. Strangers can make as many refusals as they like. */
export function noteRefusal(
  onRefusal: OnRefusal | undefined,
  { identity, service, metadata, peer }: ServerCallContext,
  path: string,
  { code, reason }: AppError,
): void {
  if (!onRefusal || !refusals.has(code) || !(identity || service)) return
  onRefusal({
    projectId: identity?.projectId ?? '',
    actor: identity?.subject ?? `service:${service}`,
    ...(identity ? { role: identity.role } : {}),
    target: `${path.slice(path.lastIndexOf('.') + 1)}:${reason}`,
    ip: addressOf(metadata, peer),
    requestId: requestIdOf(metadata),
  })
}

/** Where a caller may choose it, anything odd is left out: entries stay clean. */
function requestIdOf(metadata: ServerCallContext['metadata']): string {
  const given = first(metadata, 'x-request-id') ?? ''
  return /^[A-Za-z0-9._-]{1,128}$/.test(given) ? given : ''
}

/** As the gateway says, which alone reaches a public port; else the peer's own. */
export const addressOf = (metadata: ServerCallContext['metadata'], peer: string): string =>
  first(metadata, 'x-forwarded-for') ?? peer.replace(/:\d{1,5}$/, '')
