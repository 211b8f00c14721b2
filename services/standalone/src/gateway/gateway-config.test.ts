import { readFileSync } from 'node:fs'
import { buildEnvoyRoutes, isConsolePath, matchRoute, routes } from '@millrace/routes'
import { describe, expect, it } from 'vitest'
import { readGatewayConfig } from './gateway-config.js'
import { createRouteTable } from './route-table.js'

const text = readFileSync(new URL('../../../../infra/envoy/envoy.yaml', import.meta.url), 'utf8')

describe('the gateway’s reading of envoy.yaml', () => {
  it('takes routes, clusters, limits and authorisation from it', () => {
    const config = readGatewayConfig(text, { iam: '127.0.0.1:1' })
    expect(config.http.routes.length).toBe(buildEnvoyRoutes().length)
    expect(config.clusters.get('iam')).toBe('127.0.0.1:1')
    expect(config.clusters.get('workflow')).toBe('workflow:8082')
    expect(config.authz).toMatchObject({ cluster: 'iam-grpc', timeoutMs: 2000 })
    expect(config.http.strippedPrefixes).toEqual(expect.arrayContaining(['x-millrace-identity', 'x-real-ip']))
    expect(config.http.rejectUnderscores).toBe(true)
    const create = config.http.routes.find(({ name }) => name === '/api/v1/workflows')
    expect(create).toMatchObject({ authz: true, timeoutMs: 60_000, maxBodyBytes: 8 * 1024 * 1024 })
    const upload = config.http.routes.find(({ name }) => name === 'putArtifactContent')
    expect(upload).toMatchObject({ authz: true, timeoutMs: 0, maxBodyBytes: undefined })
  })

  it('sends every route of the table to its service, guarded as the table says', () => {
    const find = createRouteTable(readGatewayConfig(text).http.routes)
    for (const route of routes) {
      const path = route.path.replaceAll(/\{\w+\+?\}/g, 'x')
      const found = find(route.method, path)
      expect([route.operationId, found?.cluster, found?.authz]).toEqual([
        route.operationId,
        route.service,
        route.access !== 'open',
      ])
    }
  })

  it('exempts nothing that the services would not serve openly', () => {
    const find = createRouteTable(readGatewayConfig(text).http.routes)
    const tails = ['', '/', '/x', '/../x', '/signed', '/content', '.json', '%2e', ';x', '/x/y/z']
    for (const { path } of routes) {
      for (const tail of tails) {
        for (const method of ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE']) {
          const target = path.replaceAll(/\{\w+\+?\}/g, 'signed') + tail
          const isConsole = ['GET', 'HEAD'].includes(method) && isConsolePath(target)
          if (find(method, target)?.authz !== false || isConsole) continue
          expect([method, target, matchRoute(method, target)?.route.access]).toEqual([method, target, 'open'])
        }
      }
    }
  })

  it.each([
    ['failure_mode_allow: false', 'failure_mode_allow: true', /failure_mode_allow/],
    ['path_with_escaped_slashes_action: REJECT_REQUEST', 'path_with_escaped_slashes_action: KEEP_UNCHANGED', /escaped/],
    ['normalize_path: true', 'normalize_path: false', /normalize_path/],
    ['name: envoy.filters.http.ext_authz', 'name: envoy.filters.http.other', /not understood/],
    ['name: envoy.filters.http.buffer', 'name: envoy.filters.http.lua', /not understood/],
    ['cluster_name: iam-grpc', 'cluster_name: nobody', /no cluster named nobody/],
    ['prefix: x-millrace-identity', 'suffix: x-millrace-identity', /by prefix/],
    ['- name: :method', '- name: x-method', /only :method/],
    ['timeout: 60s', 'timeout: soon', /not a duration/],
    ['safe_regex:', 'path_template:', /only path, prefix and safe_regex|needs exact/],
  ])('refuses %s turned into %s', (from, to, message) => {
    const quoted = text.includes(from) ? from : from.replace(':method', '":method"')
    expect(text).toContain(quoted)
    expect(() => readGatewayConfig(text.replaceAll(quoted, to))).toThrow(message)
  })

  it('refuses an address for a cluster that is not there, and a file that is none', () => {
    expect(() => readGatewayConfig(text, { wrong: 'x:1' })).toThrow(/no cluster named wrong/)
    expect(() => readGatewayConfig('')).toThrow(/no static listeners/)
    expect(() => readGatewayConfig('static_resources: {listeners: [], clusters: []}')).toThrow(/no listener named http/)
  })
})
