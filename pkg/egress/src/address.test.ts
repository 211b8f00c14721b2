import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { classifyAddress } from './address.js'

const denied = [
  ...[
    '0.0.0.0',
    '0.255.255.255',
    '10.0.0.1',
    '10.255.255.255',
    '100.64.0.1',
    '100.127.255.255',
    '127.0.0.1',
    '127.255.255.254',
  ],
  ...[
    '169.254.0.1',
    '169.254.169.254',
    '172.16.0.1',
    '172.31.255.255',
    '192.0.0.1',
    '192.0.0.170',
    '192.0.2.1',
    '192.88.99.1',
  ],
  ...[
    '192.168.0.1',
    '192.168.255.255',
    '198.18.0.1',
    '198.19.255.255',
    '198.51.100.1',
    '203.0.113.1',
    '224.0.0.1',
    '239.255.255.255',
  ],
  ...['240.0.0.1', '255.255.255.255', '168.63.129.16', '192.31.196.1', '192.52.193.1', '192.175.48.1'],
  ...[
    '::',
    '::1',
    '::127.0.0.1',
    '::8.8.8.8',
    '::ffff:127.0.0.1',
    '::ffff:8.8.8.8',
    '::ffff:7f00:1',
    '::ffff:0:127.0.0.1',
  ],
  ...[
    '64:ff9b::127.0.0.1',
    '64:ff9b::808:808',
    '64:ff9b:1::1',
    '2002:7f00:1::',
    '2002:808:808::1',
    '2001::1',
    '2001:db8::1',
  ],
  ...[
    'fc00::1',
    'fd00:ec2::254',
    'fdff:ffff::1',
    'fe80::1',
    'fe80::1%eth0',
    'febf::1',
    'fec0::1',
    'ff02::1',
    'ff0e::1',
    '100::1',
  ],
  ...['100:0:0:1::1', '2001:2::1', '2001:10::1', '2001:20::1', '3fff::1', '5f00::1', '4000::1', '1::1', '8000::1'],
  ...[
    '',
    'example.com',
    '127.1',
    '2130706433',
    '0x7f000001',
    '0177.0.0.1',
    '1.2.3.4.5',
    '1.2.3',
    '::g',
    '127.0.0.1:80',
  ],
]

const allowed = [
  ...[
    '1.1.1.1',
    '8.8.8.8',
    '9.255.255.255',
    '11.0.0.0',
    '100.63.255.255',
    '100.128.0.0',
    '126.255.255.255',
    '128.0.0.1',
  ],
  ...[
    '169.253.255.255',
    '169.255.0.0',
    '172.15.255.255',
    '172.32.0.0',
    '192.167.255.255',
    '192.169.0.0',
    '198.17.255.255',
  ],
  ...['198.20.0.0', '223.255.255.255', '2606:4700:4700::1111', '2a00:1450:4001:80b::200e', '2001:4860:4860::8888'],
]

describe('classifyAddress', () => {
  it.each(denied)('denies %j', (address) => expect(classifyAddress(address).allowed).toBe(false))
  it.each(allowed)('allows %j', (address) => expect(classifyAddress(address).allowed).toBe(true))

  const octet = fc.integer({ min: 0, max: 255 })

  it('denies every address of the private and local IPv4 blocks', () => {
    const block = fc.oneof(
      fc.tuple(fc.constantFrom(0, 10, 127), octet),
      fc.tuple(fc.constant(192), fc.constant(168)),
      fc.tuple(fc.constant(172), fc.integer({ min: 16, max: 31 })),
      fc.tuple(fc.constant(100), fc.integer({ min: 64, max: 127 })),
      fc.tuple(fc.constant(169), fc.constant(254)),
      fc.tuple(fc.integer({ min: 224, max: 255 }), octet),
    )
    fc.assert(fc.property(block, octet, octet, ([a, b], c, d) => !classifyAddress(`${a}.${b}.${c}.${d}`).allowed))
  })

  it('denies any IPv4 address wrapped into IPv6, in every spelling', () => {
    fc.assert(
      fc.property(octet, octet, octet, octet, (a, b, c, d) => {
        const high = ((a << 8) | b).toString(16)
        const low = ((c << 8) | d).toString(16)
        const dotted = `${a}.${b}.${c}.${d}`
        const forms = [
          `::ffff:${dotted}`,
          `::ffff:${high}:${low}`,
          `::${dotted}`,
          `64:ff9b::${high}:${low}`,
          `2002:${high}:${low}::1`,
        ]
        return forms.every((form) => !classifyAddress(form).allowed)
      }),
    )
  })

  it('allows no IPv6 address outside 2000::/3', () => {
    const hextet = fc.integer({ min: 0, max: 0xffff })
    fc.assert(
      fc.property(fc.array(hextet, { minLength: 8, maxLength: 8 }), (parts) => {
        const first = parts[0] ?? 0
        fc.pre(first < 0x2000 || first > 0x3fff)
        return !classifyAddress(parts.map((part) => part.toString(16)).join(':')).allowed
      }),
    )
  })
})
