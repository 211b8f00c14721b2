import { createHmac } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { type HookScheme, verifyHook } from './verify-hook.js'

const now = new Date('2026-01-01T12:00:00.000Z')
const seconds = Math.floor(now.getTime() / 1000)
const body = Buffer.from('{"id": "evt_1", "n": 1}')
const key = Buffer.alloc(24, 7)
const sign = (secret: Buffer | string, text: string, encoding: 'hex' | 'base64' = 'hex') =>
  createHmac('sha256', secret).update(text).digest(encoding)

interface Case {
  scheme: HookScheme
  secret: string
  headers(text: string, at: number): Record<string, string>
  timed: boolean
  deliveryId: string | undefined
}

const cases: Case[] = [
  {
    scheme: 'standard-webhooks',
    secret: `whsec_${key.toString('base64')}`,
    headers: (text, at) => ({
      'webhook-id': 'msg_1',
      'webhook-timestamp': String(at),
      'webhook-signature': `v1a,x v1,AAAA v1,${sign(key, `msg_1.${at}.${text}`, 'base64')}`,
    }),
    timed: true,
    deliveryId: 'msg_1',
  },
  {
    scheme: 'github',
    secret: 'It is a secret to everybody',
    headers: (text) => ({
      'x-hub-signature-256': `sha256=${sign('It is a secret to everybody', text)}`,
      'x-github-delivery': '72d3162e',
    }),
    timed: false,
    deliveryId: '72d3162e',
  },
  {
    scheme: 'stripe',
    secret: 'whsec_of_stripe',
    headers: (text, at) => ({ 'stripe-signature': `t=${at},v0=00,v1=${sign('whsec_of_stripe', `${at}.${text}`)}` }),
    timed: true,
    deliveryId: 'evt_1',
  },
  {
    scheme: 'hmac',
    secret: 'a shared secret',
    headers: (text) => ({ 'x-signature': sign('a shared secret', text, 'base64') }),
    timed: false,
    deliveryId: undefined,
  },
]

describe.each(cases)('$scheme', ({ scheme, secret, headers, timed, deliveryId }) => {
  const good = headers(body.toString(), seconds)
  const verify = (given: Record<string, string>, sent = body, by = secret) =>
    verifyHook(scheme, { headers: given, body: sent, now }, by)

  test('a good signature passes, and tells the delivery', () => {
    expect(verify(good)).toEqual(deliveryId === undefined ? {} : { deliveryId })
  })

  test('another body, another secret, no signature or a cut one do not', () => {
    expect(verify(good, Buffer.from('{"id": "evt_1", "n": 2}'))).toBeUndefined()
    expect(verify(good, body, 'whsec_MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIz')).toBeUndefined()
    expect(verify({})).toBeUndefined()
    for (const name of Object.keys(good)) {
      const cut = { ...good, [name]: (good[name] ?? '').slice(0, -4) }
      if (/signature/.test(name)) expect(verify(cut)).toBeUndefined()
      if (/timestamp|-id$/.test(name)) expect(verify({ ...good, [name]: '1' })).toBeUndefined()
    }
  })

  test.runIf(timed)('neither an old nor a future call passes', () => {
    for (const at of [seconds - 301, seconds + 301]) expect(verify(headers(body.toString(), at))).toBeUndefined()
    for (const at of [seconds - 299, seconds + 299]) expect(verify(headers(body.toString(), at))).toBeDefined()
  })
})

test("GitHub's own example", () => {
  const headers = { 'x-hub-signature-256': 'sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17' }
  const call = { headers, body: Buffer.from('Hello, World!'), now }
  expect(verifyHook('github', call, "It's a Secret to Everybody")).toEqual({})
})

test('hmac takes hex with a prefix, and a header of choice', () => {
  const headers = { 'x-shop-hash': `sha256=${sign('k', body.toString())}` }
  expect(verifyHook('hmac', { headers, body, now }, 'k', 'X-Shop-Hash')).toEqual({})
  expect(verifyHook('hmac', { headers, body, now }, 'k')).toBeUndefined()
})
