import type { Route } from './types.js'

const pathSyntax = /^(\/([A-Za-z0-9._~-]+|\{[A-Za-z]+\}))*\/?(\{[A-Za-z]+\+\})?$/

/** Checks what the type cannot, when the table is loaded: a wrong table must not start. */
export function defineRoute(route: Route): Route {
  if (!pathSyntax.test(route.path)) throw new Error(`route ${route.operationId}: bad path ${route.path}`)
  if (route.list && route.method !== 'GET') throw new Error(`route ${route.operationId}: a list is read by GET`)
  if (route.idempotent && route.method !== 'POST')
    throw new Error(`route ${route.operationId}: only a POST is made idempotent`)
  if (route.body && route.method === 'GET') throw new Error(`route ${route.operationId}: a GET takes no body`)
  if (Object.keys(route.responses).length === 0) throw new Error(`route ${route.operationId}: no response`)
  return Object.freeze(route)
}
