import { expect, test } from 'vitest'
import { callerAddressOf, networkOf } from './network.js'

test.each([
  ['203.0.113.9', '203.0.113.0/24'],
  ['::ffff:203.0.113.9', '203.0.113.0/24'],
  ['::ffff:cb00:7109', '203.0.113.0/24'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:DB8:1:2::6', '2001:db8:1:2::/64'],
  ['2001:db8::', '2001:db8:0:0::/64'],
  ['::1', '0:0:0:0::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  ['', 'unknown'],
  ['999.1.1.1', 'unknown'],
  ['::1::', 'unknown'],
])('%s is in %s', (address, network) => {
  expect(networkOf(address)).toBe(network)
})

test('an IPv4 address counts by itself, an IPv6 one by its /64', () => {
  expect(callerAddressOf('203.0.113.9')).toBe('203.0.113.9')
  expect(callerAddressOf('2001:db8:1:2::6')).toBe('2001:db8:1:2::/64')
})
