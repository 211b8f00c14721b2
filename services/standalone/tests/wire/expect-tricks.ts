import { matchRoute } from '@millrace/routes'
import { expect } from 'vitest'
import type { Upstreams } from '../gateway-harness.js'
import { converse } from './conversation.js'
import { FORGED, request, token } from './request-bytes.js'
import { expectWellFramed } from './wires.js'

/** What a service's own matcher would take for a guarded route. */
const isGuarded = (url: string) => (matchRoute('GET', url.split('?')[0] ?? '')?.route.access ?? 'open') !== 'open'

/** Sent as it is, without a credential: below an open prefix it may arrive as a file's name, and as nothing else. */
export async function expectGuarded(port: number, upstreams: Upstreams, target: string): Promise<void> {
  upstreams.seen.length = 0
  const bytes = request(`GET ${target} HTTP/1.1`, ['Connection: close'])
  const { statuses } = await converse(port, { name: target, bytes, expected: 1 })
  expectWellFramed(upstreams, target)
  expect([target, upstreams.seen.filter(({ url }) => isGuarded(url))]).toEqual([target, []])
  if (upstreams.seen.length === 0) expect([target, (statuses[0] ?? 400) >= 400]).toEqual([target, true])
}

/** On an open route and on a guarded one, with a credential and without: without one nothing may arrive there. */
export async function expectNoForgery(port: number, upstreams: Upstreams, lines: readonly string[]): Promise<void> {
  for (const [line, credential] of [
    ['GET /healthz HTTP/1.1', []],
    ['GET /api/v1/runs HTTP/1.1', [token]],
    ['GET /api/v1/runs HTTP/1.1', []],
  ] as const) {
    upstreams.seen.length = 0
    const bytes = request(line, [...credential, ...lines])
    await converse(port, { name: lines.join(), bytes, expected: 1 })
    expectWellFramed(upstreams, lines.join())
    const most = line.startsWith('GET /healthz') || credential.length > 0 ? 1 : 0
    expect([lines, line, upstreams.seen.length <= most, upstreams.seen]).toEqual([lines, line, true, upstreams.seen])
    if (credential.length === 0) expect(upstreams.seen.filter(({ url }) => isGuarded(url))).toEqual([])
    expect([lines, JSON.stringify(upstreams.seen).includes(`"${FORGED}`)]).toEqual([lines, false])
    for (const { headers } of upstreams.seen) {
      const identities = Object.entries(headers).filter(([name]) => /millrace.identity/i.test(name))
      expect([lines, identities.every(([, value]) => value === 'signed-by-iam')]).toEqual([lines, true])
    }
  }
}
