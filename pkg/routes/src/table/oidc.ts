import { defineRoute } from '../define-route.js'
import { answer, list, object, text } from '../schema.js'
import type { Route } from '../types.js'

const provider = object({ id: text(32), name: text(), startUrl: text() }, ['id', 'name', 'startUrl'])
const common = { service: 'iam', method: 'GET', access: 'open', tag: 'Identity' } as const
const redirect = { description: 'To the address in `Location`' }

export const oidcRoutes: readonly Route[] = [
  defineRoute({
    ...common,
    operationId: 'listOidcProviders',
    path: '/api/v1/auth/oidc/providers',
    summary: 'Identity providers to log in with; 404 `oidc_not_configured` when there is none',
    responses: { 200: answer('Providers', object({ items: list(provider) }, ['items'])) },
  }),
  defineRoute({
    ...common,
    operationId: 'startOidc',
    path: '/api/v1/auth/oidc/start',
    summary: 'Begin a login at an identity provider: sends the browser there',
    query: { provider: text(32) },
    responses: { 302: redirect },
  }),
  defineRoute({
    ...common,
    operationId: 'finishOidc',
    path: '/api/v1/auth/oidc/callback',
    summary: 'Where the provider sends the browser back; sets the session cookie',
    query: { state: text(1024), code: text(4096) },
    anyQuery: true,
    responses: { 302: redirect },
  }),
]
