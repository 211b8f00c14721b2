import type { Identity } from './identity.js'
import type { IdentityVerifier } from './identity-verifier.js'
import { verifyServiceToken } from './service-token.js'

const noProject = '00000000-0000-0000-0000-000000000000'
const lifeMs = 60_000

/**
 * Takes a token of one named service in place of a signed identity, as the role `worker` in no project. For listeners that
 * a service without a user's identity calls directly; the gateway lets no identity header in from outside.
 */
export function orService(
  verifier: Pick<IdentityVerifier, 'verify'>,
  secret: string,
  service: string,
): Pick<IdentityVerifier, 'verify'> {
  return {
    async verify(token) {
      if (!isServiceToken(token, secret, service)) return verifier.verify(token)
      const expiresAt = Math.floor((Date.now() + lifeMs) / 1000)
      const identity: Identity = {
        ...{
          subject: `service:${service}`,
          projectId: noProject,
          project: '',
          role: 'worker',
          admin: false,
          expiresAt,
        },
      }
      return identity
    },
  }
}

function isServiceToken(token: string, secret: string, service: string): boolean {
  try {
    return verifyServiceToken(secret, token).service === service
  } catch {
    return false
  }
}
