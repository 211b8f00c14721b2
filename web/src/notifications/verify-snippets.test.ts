import { createHmac, randomBytes } from 'node:crypto'
import { afterEach, describe, expect, it } from 'vitest'
import { secretVariable, verifySnippets } from './verify-snippets'

const subscription = '01980000-0000-7000-8000-00000abcdef1'
const variable = secretVariable(subscription)

type Verify = (headers: Record<string, string>, body: string) => boolean

/** The text that the console shows, executed as it is. */
async function loadNode(): Promise<Verify> {
  const text = verifySnippets(subscription).find(({ id }) => id === 'node')?.text ?? ''
  const url = `data:text/javascript;base64,${Buffer.from(`${text}\n// ${Math.random()}`).toString('base64')}`
  const module = (await import(/* @vite-ignore */ url)) as { verify: Verify }
  return module.verify
}

describe('how to verify a signature', () => {
  const key = randomBytes(24)
  const sign = (id: string, at: string, body: string) =>
    `v1,${createHmac('sha256', key).update(`${id}.${at}.${body}`).digest('base64')}`
  afterEach(() => {
    delete process.env[variable]
  })

  it('names the subscription and its own variable in every language', () => {
    for (const { text } of verifySnippets(subscription)) {
      expect(text).toContain(subscription)
      expect(text).toContain(variable)
    }
    expect(variable).toBe('MILLRACE_WEBHOOK_0ABCDEF1')
  })

  it('accepts what was signed, also beside the signature of a rotated secret, and nothing else', async () => {
    process.env[variable] = `whsec_${key.toString('base64')}`
    const verify = await loadNode()
    const at = String(Math.floor(Date.now() / 1000))
    const headers = { 'webhook-id': 'n1', 'webhook-timestamp': at, 'webhook-signature': sign('n1', at, '{}') }
    expect(verify(headers, '{}')).toBe(true)
    expect(verify({ ...headers, 'webhook-signature': `v1,AAAA ${headers['webhook-signature']}` }, '{}')).toBe(true)
    expect(verify(headers, '{"a":1}')).toBe(false)
    expect(verify({ ...headers, 'webhook-id': 'n2' }, '{}')).toBe(false)
    expect(verify({}, '{}')).toBe(false)
  })

  it('refuses an old message, and a time that is no number', async () => {
    process.env[variable] = `whsec_${key.toString('base64')}`
    const verify = await loadNode()
    for (const at of [String(Math.floor(Date.now() / 1000) - 301), 'soon']) {
      const signature = sign('n1', at, '{}')
      expect(verify({ 'webhook-id': 'n1', 'webhook-timestamp': at, 'webhook-signature': signature }, '{}')).toBe(false)
    }
  })
})
