import { notFound } from '@millrace/errors'
import type { RouteHandler } from '@millrace/http'
import * as client from 'openid-client'
import type { IamContext } from '../context.js'
import { STATE_LIFE_MS } from '../oidc/login-state.js'
import type { OidcProvider } from '../oidc/providers-field.js'
import { returnTarget } from '../oidc/return-target.js'
import { sendCookie } from './session-cookie.js'

export const STATE_COOKIE = { name: 'millrace_oidc', path: '/api/v1/auth/oidc' }

export const callbackUrl = ({ config }: IamContext): string => `${config.publicUrl}/api/v1/auth/oidc/callback`

/** Of none where none is configured, and of one that is not among them, two different things are said. */
export function providerOf({ oidc }: IamContext, id: string | undefined): OidcProvider {
  const { providers } = oidc.clients
  if (providers.length === 0) throw notFound('oidc_not_configured', 'No identity provider is configured.')
  const provider = id === undefined && providers.length === 1 ? providers[0] : providers.find((one) => one.id === id)
  if (!provider) throw notFound('oidc_provider_not_found', 'There is no such identity provider.')
  return provider
}

export function listOidcProviders(ctx: IamContext): RouteHandler {
  return async () => {
    const { providers } = ctx.oidc.clients
    if (providers.length === 0) throw notFound('oidc_not_configured', 'No identity provider is configured.')
    const shown = ({ id, name }: OidcProvider) => ({ id, name, startUrl: `/api/v1/auth/oidc/start?provider=${id}` })
    return { status: 200, body: { items: providers.map(shown) } }
  }
}

/**
 * Sends the browser to the provider. What the answer is compared with goes along in a cookie; it is `Lax`, because the
 * browser comes back from another site.
 */
export function startOidc(ctx: IamContext): RouteHandler {
  return async (req) => {
    const provider = providerOf(ctx, req.query.provider as string | undefined)
    ctx.addressLimit.take(req.ip)
    const config = await ctx.oidc.clients.configurationOf(provider)
    const codeVerifier = client.randomPKCECodeVerifier()
    const state = client.randomState()
    const nonce = client.randomNonce()
    const url = client.buildAuthorizationUrl(config, {
      redirect_uri: callbackUrl(ctx),
      scope: provider.scopes,
      code_challenge: await client.calculatePKCECodeChallenge(codeVerifier),
      code_challenge_method: 'S256',
      state,
      nonce,
    })
    const to = returnTarget(req.query.to as string | undefined, ctx.config.publicUrl)
    const sealed = ctx.oidc.states.seal({ provider: provider.id, state, nonce, codeVerifier, to }, Date.now())
    const maxAgeSeconds = STATE_LIFE_MS / 1000
    sendCookie(ctx, req, { ...STATE_COOKIE, value: sealed, maxAgeSeconds, sameSite: 'lax' })
    return { status: 302, headers: { location: url.href } }
  }
}
