import type { Identity } from './identity.js'
import type { IdentityVerifier } from './identity-verifier.js'
import { isServiceToken, type ServiceIdentity } from './service-identity.js'
import type { ServiceName } from './service-name.js'

const noProject = '00000000-0000-0000-0000-000000000000'
const lifeMs = 60_000

type Verifier = Pick<IdentityVerifier, 'verify'>

/**
 * Takes a token of the named services in place of a signed identity, as the role `worker` in no project. For listeners
 * that a service without a user's identity calls directly; the gateway lets no identity header in from outside.
 */
export function orService(verifier: Verifier, own: ServiceIdentity, callers: readonly ServiceName[]): Verifier {
  return {
    async verify(token, ...rest) {
      const caller = callerOf(token, own, callers)
      if (caller === undefined) return verifier.verify(token, ...rest)
      const expiresAt = Math.floor((Date.now() + lifeMs) / 1000)
      const identity: Identity = {
        ...{ subject: `service:${caller}`, projectId: noProject, project: '', role: 'worker', admin: false },
        expiresAt,
      }
      return identity
    },
  }
}

function callerOf(token: string, own: ServiceIdentity, callers: readonly ServiceName[]): ServiceName | undefined {
  if (!isServiceToken(token)) return undefined
  try {
    const name = own.verify(token)
    return callers.includes(name) ? name : undefined
  } catch {
    return undefined
  }
}
