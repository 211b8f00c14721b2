import { unauthenticated } from '@millrace/errors'
import type { RouteHandler, RouteRequest } from '@millrace/http'
import * as client from 'openid-client'
import type { IamContext } from '../context.js'
import type { LoginState } from '../oidc/login-state.js'
import { providerUnavailable } from '../oidc/provider-clients.js'
import type { OidcProvider } from '../oidc/providers-field.js'
import { type ProviderClaims, signIn } from '../oidc/sign-in.js'
import { audit, mutate } from './audited.js'
import { beginSession } from './issue-tokens.js'
import { callbackUrl, providerOf, STATE_COOKIE } from './oidc-start.js'
import { cookieOf, sendCookie, sendSessionCookie } from './session-cookie.js'

const refused = (cause?: unknown) =>
  unauthenticated('oidc_login_failed', 'The login at the identity provider did not succeed; begin again.', cause)

/** Failures of the network are the provider's; whatever it or the browser said that does not fit is a refusal. */
function failureOf(error: unknown): unknown {
  const said =
    error instanceof client.ResponseBodyError ||
    error instanceof client.AuthorizationResponseError ||
    error instanceof client.WWWAuthenticateChallengeError ||
    error instanceof client.ClientError
  return said ? refused(error) : providerUnavailable(error)
}

async function claimsOf(
  ctx: IamContext,
  req: RouteRequest,
  provider: OidcProvider,
  { state, nonce, codeVerifier }: LoginState,
): Promise<ProviderClaims> {
  const config = await ctx.oidc.clients.configurationOf(provider)
  const answered = new URL(callbackUrl(ctx))
  answered.search = new URL(req.raw.req.url ?? '/', 'http://gateway').search
  try {
    const tokens = await client.authorizationCodeGrant(config, answered, {
      pkceCodeVerifier: codeVerifier,
      expectedState: state,
      expectedNonce: nonce,
      idTokenExpected: true,
    })
    const claims = tokens.claims()
    if (!claims) throw refused()
    const needed = ['email', 'email_verified', ...(provider.groups.size > 0 ? [provider.groupsClaim] : [])]
    if (needed.every((name) => claims[name] !== undefined) || config.serverMetadata().userinfo_endpoint === undefined) {
      return claims
    }
    return { ...(await client.fetchUserInfo(config, tokens.access_token, claims.sub)), ...claims }
  } catch (error) {
    throw failureOf(error)
  }
}

/** The provider sends the browser here. It leaves with the session cookie, and the console does the rest. */
export function finishOidc(ctx: IamContext): RouteHandler {
  return async (req) => {
    providerOf(ctx, ctx.oidc.clients.providers[0]?.id)
    ctx.addressLimit.take(req.ip)
    const begun = ctx.oidc.states.open(cookieOf(req, STATE_COOKIE.name), Date.now())
    sendCookie(ctx, req, { ...STATE_COOKIE, value: '', maxAgeSeconds: 0, sameSite: 'lax' })
    // Before anything is asked of the provider: this browser has to have begun this login.
    if (!begun || req.query.state !== begun.state) throw refused()
    const provider = providerOf(ctx, begun.provider)
    const claims = await claimsOf(ctx, req, provider, begun)
    const unusableHash = await ctx.passwords.hash(client.randomState())
    const { user, refreshToken } = await mutate(ctx, async (tx) => {
      const user = await signIn(tx, provider, claims, unusableHash)
      const actor = `user:${user.id}`
      for (const change of user.changes) await audit(tx, req, { projectId: '', ...change, actor })
      await audit(tx, req, { action: 'user.logged_in', actor, target: actor, projectId: user.defaultProjectId ?? '' })
      const pair = await beginSession(ctx, tx, req, { userId: user.id, kind: 'cookie' })
      return { user, refreshToken: pair.refreshToken }
    })
    ctx.credentials.forgetUser(user.id)
    for (const id of user.revokedKeyIds) ctx.credentials.forgetKey(id)
    sendSessionCookie(ctx, req, refreshToken)
    return { status: 302, headers: { location: ctx.config.publicUrl + (begun.to ?? '/') } }
  }
}
