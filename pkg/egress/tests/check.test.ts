import { AppError } from '@millrace/errors'
import { describe, expect, it } from 'vitest'
import { createEgress, parseAllowList, type ResolvedAddress } from '../src/index.js'

const answers: Record<string, ResolvedAddress[]> = {
  'public.example': [{ address: '93.184.215.14', family: 4 }],
  'inside.example': [{ address: '10.0.0.7', family: 4 }],
  'mixed.example': [
    { address: '93.184.215.14', family: 4 },
    { address: '127.0.0.1', family: 4 },
  ],
  'mapped.example': [{ address: '::ffff:169.254.169.254', family: 6 }],
  'zoned.example': [{ address: 'fe80::1%2', family: 6 }],
  'empty.example': [],
}
const resolve = async (host: string) => answers[host] ?? [{ address: '93.184.215.14', family: 4 as const }]
const egress = createEgress({ allowPrivate: false, allow: [], resolve })

async function reasonOf(work: Promise<unknown>): Promise<string> {
  try {
    await work
    return 'allowed'
  } catch (error) {
    return error instanceof AppError ? error.reason : `foreign: ${String(error)}`
  }
}

const refused = [
  ...[
    'http://127.0.0.1/',
    'http://127.1/',
    'http://2130706433/',
    'http://0x7f.1/',
    'http://0x7f000001/',
    'http://0177.0.0.1/',
  ],
  ...[
    'http://017700000001/',
    'http://0/',
    'http://0.0.0.0/',
    'http://127.0.0.1./',
    'http://127%2e0.0.1/',
    'http://①②⑦.0.0.1/',
  ],
  ...[
    'http://[::1]/',
    'http://[::]/',
    'http://[::ffff:127.0.0.1]/',
    'http://[::ffff:7f00:1]/',
    'http://[0:0:0:0:0:ffff:a9fe:a9fe]/',
  ],
  ...[
    'http://[::127.0.0.1]/',
    'http://[64:ff9b::7f00:1]/',
    'http://[2002:7f00:1::]/',
    'http://[fd00:ec2::254]/',
    'http://[fe80::1]/',
  ],
  ...[
    'http://localhost/',
    'http://LOCALHOST/',
    'http://localhost./',
    'http://localhost../',
    'http://a.localhost/',
    'http://ⓛocalhost/',
  ],
  ...[
    'http://localhost.localdomain/',
    'http://public.example@127.0.0.1/',
    'http://public.example:80@127.0.0.1/',
    'http://127.0.0.1\\@public.example/',
  ],
  ...[
    'http://127.0.0.1#@public.example/',
    'http:///127.0.0.1/',
    'https:127.0.0.1',
    'http://169.254.169.254/latest/meta-data/',
  ],
  ...[
    'file:///etc/passwd',
    'ftp://public.example/',
    'gopher://public.example/',
    'data:text/plain,hi',
    'javascript:alert(1)',
    'ws://public.example/',
  ],
]

const malformed = [
  '',
  'not a url',
  'http://',
  'http://[fe80::1%25eth0]/',
  'http://1.2.3.4.5/',
  'http://256.1.1.1/',
  'http://a b/',
  'http://x:99999/',
]

describe('check', () => {
  it.each(refused)('refuses %s', async (url) => expect(await reasonOf(egress.check(url))).toBe('egress_denied'))
  it.each(malformed)('finds %j malformed', async (url) => expect(await reasonOf(egress.check(url))).toBe('url_invalid'))
  it.each(['http://public.example/', 'https://public.example:8443/x', 'http://8.8.8.8/', 'http://[2606:4700::1]/'])(
    'allows %s',
    async (url) => expect(await reasonOf(egress.check(url))).toBe('allowed'),
  )

  it.each(['inside', 'INSIDE', 'mixed', 'mapped', 'zoned', 'empty'])(
    'finds no public address for %s.example',
    async (name) => expect(await reasonOf(egress.check(`http://${name}.example./`))).toBe('dns_error'),
  )

  it('allows private addresses when the whole network is open', async () => {
    const open = createEgress({ allowPrivate: true, allow: [], resolve })
    expect(await reasonOf(open.check('http://127.0.0.1/'))).toBe('allowed')
    expect(await reasonOf(open.check('http://localhost:3000/'))).toBe('allowed')
    expect(await reasonOf(open.check('file:///etc/passwd'))).toBe('egress_denied')
  })
})

describe('exceptions', () => {
  const listed = createEgress({
    allowPrivate: false,
    allow: ['127.0.0.1:9000', 'Inside.example:80', '[::1]:443'],
    resolve,
  })

  it.each([
    ['http://127.0.0.1:9000/', 'allowed'],
    ['http://2130706433:9000/', 'allowed'],
    ['http://127.0.0.1:9001/', 'egress_denied'],
    ['http://127.0.0.1/', 'egress_denied'],
    ['http://127.0.0.2:9000/', 'egress_denied'],
    ['http://localhost:9000/', 'egress_denied'],
    ['http://inside.example/', 'allowed'],
    ['http://inside.example.:80/', 'allowed'],
    ['https://inside.example/', 'dns_error'],
    ['http://sub.inside.example.localhost/', 'egress_denied'],
    ['https://[::1]/', 'allowed'],
    ['http://[::1]/', 'egress_denied'],
    ['http://127.0.0.1:9000@10.0.0.1/', 'egress_denied'],
  ])('%s is %s', async (url, expected) => expect(await reasonOf(listed.check(url))).toBe(expected))

  it.each([
    '127.0.0.1',
    'host:',
    ':80',
    'host:0',
    'host:65536',
    'http://host:80',
    'a@b:80',
    'host:80/x',
    '*:80 80',
    '::1:80',
  ])('refuses the malformed exception %j', (entry) => expect(() => parseAllowList([entry])).toThrow(/egress exception/))
})
