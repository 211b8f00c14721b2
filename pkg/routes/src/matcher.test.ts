import { describe, expect, it } from 'vitest'
import { defineRoute } from './define-route.js'
import { createMatcher } from './matcher.js'
import { matchRoute, openRoutes, routes, routesOf } from './table.js'
import type { Method, Route } from './types.js'

const route = (method: Method, path: string): Route =>
  defineRoute({
    operationId: `${method} ${path}`,
    service: 'workflow',
    method,
    path,
    access: 'viewer',
    summary: '',
    tag: '',
    responses: { 200: { description: '' } },
  })

const matcher = createMatcher([
  route('GET', '/things'),
  route('POST', '/things/validate'),
  route('GET', '/things/{name}'),
  route('GET', '/things/{name}/parts/{part}'),
  route('GET', '/docs/{file+}'),
])

describe('matching a path', () => {
  it('gives a literal the right of way, whatever the method, and goes back when it ends nowhere', () => {
    expect(matcher.match('POST', '/things/validate')?.route.operationId).toBe('POST /things/validate')
    expect(matcher.match('GET', '/things/validate')).toBeUndefined()
    expect(matcher.match('GET', '/things/validate/parts/1')?.params).toEqual({ name: 'validate', part: '1' })
  })

  it('decodes parameters, and matches nothing that cannot be decoded', () => {
    expect(matcher.match('GET', '/things/a%20b/parts/%C3%A9')?.params).toEqual({ name: 'a b', part: 'é' })
    expect(matcher.match('GET', '/things/%ZZ')).toBeUndefined()
  })

  it('takes the rest of the path where the route says so', () => {
    expect(matcher.match('GET', '/docs/a/b.css')?.params).toEqual({ file: 'a/b.css' })
    expect(matcher.match('GET', '/docs/')?.params).toEqual({ file: '' })
    expect(matcher.match('GET', '/docs')).toBeUndefined()
  })

  it('never takes an empty segment for a parameter', () => {
    for (const path of ['/things/', '//things', '/things//parts/x', '', '/', 'things']) {
      expect(matcher.match('GET', path), path).toBeUndefined()
    }
  })

  it('answers HEAD with the GET route, and names the methods of a path', () => {
    expect(matcher.match('HEAD', '/things')?.route.method).toBe('GET')
    expect(matcher.methods('/things/validate')).toEqual(['POST'])
    expect(matcher.methods('/things/other')).toEqual(['GET', 'HEAD'])
    expect(matcher.methods('/nothing')).toEqual([])
  })

  it('is not misled by names that objects inherit', () => {
    expect(matcher.match('GET', '/constructor')).toBeUndefined()
    expect(matcher.match('GET', '/things/__proto__')?.params).toEqual({ name: '__proto__' })
    expect(matcher.match('constructor', '/things')).toBeUndefined()
  })

  it('refuses two routes at one place', () => {
    expect(() => createMatcher([route('GET', '/a/{x}'), route('GET', '/a/{y}')])).toThrow(/share GET/)
  })
})

describe('the table', () => {
  it('finds each of its routes by its own path', () => {
    for (const entry of routes) {
      const path = entry.path.replaceAll(/\{\w+\+?\}/g, '0193')
      expect(matchRoute(entry.method, path)?.route, path).toBe(entry)
    }
  })

  it('leaves open only what the contract lists', () => {
    const allowed =
      /^(POST \/api\/v1\/auth\/(register|login|refresh|logout|verify|password\/.+)|GET \/api\/v1\/auth\/oidc\/.+|GET \/\.well-known\/jwks\.json|GET \/(healthz|readyz)|GET \/api\/v1\/openapi\.json|GET \/api\/v1\/schemas\/.+|GET \/docs(\/.+)?|POST \/api\/v1\/hooks\/.+|(GET|PUT) \/api\/v1\/artifacts\/signed\/.+)$/
    for (const open of openRoutes()) expect(`${open.method} ${open.path}`).toMatch(allowed)
  })

  it('gives every route to exactly one service', () => {
    const counted = (['iam', 'workflow', 'metadata', 'notification', 'artifact'] as const).flatMap(routesOf)
    expect(counted.length).toBe(routes.length)
  })

  it('lets nobody below operator change anything', () => {
    // An approval is held to the role that its task names, by the scheduler.
    const exempt = new Set(['leaveProject', 'validateWorkflow', 'approveTask', 'rejectTask'])
    const loose = routes.filter((entry) => entry.method !== 'GET' && entry.access === 'viewer')
    expect(loose.map((entry) => entry.operationId).filter((name) => !exempt.has(name))).toEqual([])
  })
})
