import { defineRoute } from '../define-route.js'
import { answer, list, object, text, time } from '../schema.js'
import type { Route } from '../types.js'

const provider = object({ id: text(32), name: text(), startUrl: text() }, ['id', 'name', 'startUrl'])
const common = { service: 'iam', method: 'GET', access: 'open', tag: 'Identity' } as const
const redirect = { description: 'To the address in `Location`' }

export const oidcAndKeyRoutes: readonly Route[] = [
  defineRoute({
    ...common,
    operationId: 'listOidcProviders',
    path: '/api/v1/auth/oidc/providers',
    summary: 'Identity providers to log in with; 404 `oidc_not_configured` when there is none',
    problems: [404],
    responses: { 200: answer('Providers', object({ items: list(provider) }, ['items'])) },
  }),
  defineRoute({
    ...common,
    operationId: 'startOidc',
    path: '/api/v1/auth/oidc/start',
    summary: 'Begin a login at an identity provider: sends the browser there',
    query: {
      provider: text(32),
      to: text(2048, { description: 'The page to come back to: a path of this address; anything else is `/`' }),
    },
    problems: [404],
    responses: { 302: redirect },
  }),
  defineRoute({
    ...common,
    operationId: 'finishOidc',
    path: '/api/v1/auth/oidc/callback',
    summary: 'Where the provider sends the browser back; sets the session cookie',
    query: { state: text(1024), code: text(4096) },
    anyQuery: true,
    problems: [404],
    responses: { 302: redirect },
  }),
  defineRoute({
    operationId: 'rotateSigningKey',
    service: 'iam',
    method: 'POST',
    path: '/api/v1/signing-keys',
    access: 'admin',
    summary: 'Replace the key that signs access tokens; the one before stays until what it signed has ended',
    tag: 'Identity',
    responses: { 201: answer('The new key', object({ kid: text(), activeFrom: time }, ['kid', 'activeFrom'])) },
  }),
]
