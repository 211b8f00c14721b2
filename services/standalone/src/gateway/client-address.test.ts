import { describe, expect, it } from 'vitest'
import { createClientAddresses, isNetwork } from './client-address.js'

describe('the caller’s address', () => {
  const behind = createClientAddresses(['10.0.0.0/8', '192.0.2.7', 'fd00::/8'])

  it.each([
    ['203.0.113.9', '6.6.6.6', '203.0.113.9'],
    ['::ffff:203.0.113.9', undefined, '203.0.113.9'],
    ['10.1.2.3', undefined, '10.1.2.3'],
    ['10.1.2.3', '203.0.113.9', '203.0.113.9'],
    ['::ffff:10.1.2.3', '6.6.6.6, 203.0.113.9', '203.0.113.9'],
    ['10.1.2.3', '6.6.6.6, 203.0.113.9, 192.0.2.7', '203.0.113.9'],
    ['10.1.2.3', '10.9.9.9, 10.8.8.8', '10.9.9.9'],
    ['10.1.2.3', 'garbage', '10.1.2.3'],
    ['10.1.2.3', '6.6.6.6, garbage', '10.1.2.3'],
    ['10.1.2.3', '6.6.6.6, unknown, 192.0.2.7', '192.0.2.7'],
    ['10.1.2.3', '203.0.113.9:4711', '10.1.2.3'],
    ['10.1.2.3', '', '10.1.2.3'],
    ['fd00::1', '2001:db8::9', '2001:db8::9'],
    ['2001:db8::1', '6.6.6.6', '2001:db8::1'],
    [undefined, '6.6.6.6', ''],
  ])('%s with %s is %s', (remote, forwarded, client) => {
    expect(behind.clientOf(remote, forwarded)).toBe(client)
  })

  it('is that of the connection where no proxy is trusted', () => {
    expect(createClientAddresses([]).clientOf('10.1.2.3', '6.6.6.6')).toBe('10.1.2.3')
  })

  it.each(['10.0.0.0/8', '::/0', '127.0.0.1', 'fd00::1/64'])('%s is a network', (text) => {
    expect(isNetwork(text)).toBe(true)
  })

  it.each(['', 'example.org', '10.0.0.0/33', '10.0.0.0/', '::/129', '10.0.0.0/8/8', '10.0.0'])('%s is none', (text) => {
    expect(isNetwork(text)).toBe(false)
  })
})
