import { randomBytes } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { createSecretBox, newWebhookSecret } from './secret-box.js'

describe('secret box', () => {
  const box = createSecretBox(randomBytes(32))

  it('opens what it sealed, in the same row alone', () => {
    const sealed = box.seal('whsec_x', 'row-1')
    expect(box.open(sealed, 'row-1')).toBe('whsec_x')
    expect(() => box.open(sealed, 'row-2')).toThrow()
    expect(sealed.toString('latin1')).not.toContain('whsec_x')
    expect(box.seal('whsec_x', 'row-1').equals(sealed)).toBe(false)
  })

  it('refuses anything altered, cut or sealed by another key', () => {
    const sealed = box.seal('whsec_x', 'row-1')
    for (let at = 0; at < sealed.length; at++) {
      const altered = Buffer.from(sealed)
      altered.writeUInt8((altered[at] ?? 0) ^ 1, at)
      expect(() => box.open(altered, 'row-1')).toThrow()
      expect(() => box.open(sealed.subarray(0, at), 'row-1')).toThrow()
    }
    expect(() => createSecretBox(randomBytes(32)).open(sealed, 'row-1')).toThrow()
  })

  it('makes secrets of 256 bits in the form Standard Webhooks asks for', () => {
    const secret = newWebhookSecret()
    expect(Buffer.from(secret.slice('whsec_'.length), 'base64')).toHaveLength(32)
    expect(newWebhookSecret()).not.toBe(secret)
  })
})
