import type { ResolvedAddress } from '../src/index.js'

/** Ways in which people have led a server to call itself or its neighbours. `PORT` stands for that of a listener. */
const hosts = {
  'an IPv4 address, written otherwise': [
    ...['127.0.0.1', '127.1', '127.0.1', '2130706433', '0x7f000001', '0x7F.1', '0x7f.0x0.0x0.0x1', '017700000001'],
    ...['0177.0.0.1', '0177.0.0.01', '00000177.0.0.1', '0x00007f.0.0.1', '127.0.0.01', '127.0x1', '127.0.0.1.'],
    ...['127.127.127.127', '127.255.255.254', '127.0.0.2', '127%2e0%2e0%2e1', '%31%32%37.0.0.1', '127。0。0。1'],
    ...['127．0．0．1', '127｡0｡0｡1', '１２７.０.０.１', '①②⑦.⓪.⓪.①', '𝟏𝟐𝟕.𝟎.𝟎.𝟏', '127.0.0.\u00ad1', '127.\u200b0.0.1'],
    ...['0', '0.0.0.0', '0x0', '00', '0.0', '0.1.2.3', '000000000000'],
  ],
  'a range that is not public': [
    ...['10.0.0.1', '10.255.255.255', '167772161', '0xa000001', '012.0.0.1', '172.16.0.1', '172.31.255.255'],
    ...['2886729729', '192.168.0.1', '192.168.255.255', '3232235521', '100.64.0.1', '100.127.255.255', '192.0.0.1'],
    ...['192.0.2.1', '198.18.0.1', '198.19.255.255', '198.51.100.1', '203.0.113.1', '224.0.0.1', '239.255.255.255'],
    ...['240.0.0.1', '255.255.255.255', '4294967295', '192.88.99.1'],
  ],
  'a metadata service': [
    ...['169.254.169.254', '2852039166', '0xa9fea9fe', '0xA9.0xFE.0xA9.0xFE', '0251.0376.0251.0376', '169.254.43518'],
    ...['169.16689662', '169.254.170.2', '169.254.0.1', '100.100.100.200', '168.63.129.16', '192.0.0.192'],
    ...['[fd00:ec2::254]', '[::ffff:169.254.169.254]', '[::ffff:a9fe:a9fe]', '[64:ff9b::a9fe:a9fe]', '[fd20:ce::254]'],
    ...['metadata.google.internal', 'metadata', 'instance-data', 'metadata.google.internal.'],
  ],
  'an IPv6 address': [
    ...['[::1]', '[0:0:0:0:0:0:0:1]', '[0000:0000:0000:0000:0000:0000:0000:0001]', '[::0001]', '[::]', '[0::0]'],
    ...['[::ffff:127.0.0.1]', '[::ffff:7f00:1]', '[::FFFF:7F00:0001]', '[0:0:0:0:0:ffff:127.0.0.1]', '[::127.0.0.1]'],
    ...['[::7f00:1]', '[::ffff:0:127.0.0.1]', '[::ffff:10.0.0.1]', '[::ffff:192.168.0.1]', '[::ffff:0.0.0.0]'],
    ...['[64:ff9b::127.0.0.1]', '[64:ff9b::7f00:1]', '[64:ff9b::10.0.0.1]', '[64:ff9b:1::7f00:1]', '[2002:7f00:1::]'],
    ...['[2002:a00:1::1]', '[2002:c0a8:1::]', '[2001::1]', '[2001:0:7f00:1::]', '[fc00::1]', '[fd00::1]', '[fe80::1]'],
    ...[
      '[febf::1]',
      '[fec0::1]',
      '[ff02::1]',
      '[ff05::2]',
      '[100::1]',
      '[2001:db8::1]',
      '[2001:10::1]',
      '[2001:20::1]',
    ],
    ...['[3fff::1]', '[5f00::1]', '[4000::1]', '[::ffff:8.8.8.8]'],
  ],
  'a name of this machine': [
    ...[
      'localhost',
      'LOCALHOST',
      'LocalHost',
      'localhost.',
      'localhost..',
      'a.localhost',
      'a.b.localhost.',
      'ⓛocalhost',
    ],
    ...['ｌｏｃａｌｈｏｓｔ', 'local\u00adhost', 'localhost.localdomain', 'localhost6', 'localhost6.localdomain6'],
    ...['ip6-localhost', 'ip6-loopback', 'IP6-LOOPBACK.', 'loc%61lhost', 'localhoſt'],
  ],
  'a name that leads inside': [
    ...['inside.example', 'INSIDE.example.', 'loopback.example', 'mixed.example', 'last.example', 'mapped.example'],
    ...['nat64.example', 'zoned.example', 'six.example', 'zero.example', 'bücher.example', 'xn--bcher-kva.example'],
    ...['127.0.0.1.nip.example', '7f000001.rbndr.example', 'broken.example', 'empty.example', 'absent.example'],
  ],
} as const

const around = {
  'credentials and delimiters': [
    ...['http://public.example@127.0.0.1:PORT/', 'http://public.example:80@127.0.0.1:PORT/', 'http://a:b@[::1]:PORT/'],
    ...[
      'http://127.0.0.1:PORT\\@public.example/',
      'http://127.0.0.1:PORT#@public.example/',
      'http:\\\\127.0.0.1:PORT/',
    ],
    ...['http://127.0.0.1:PORT?@public.example/', 'http://127.0.0.1:PORT/@public.example/', 'http:127.0.0.1:PORT'],
    ...['http:/127.0.0.1:PORT/', 'http:////127.0.0.1:PORT/', 'hTTp://127.0.0.1:PORT/', ' http://127.0.0.1:PORT/ '],
    ...[
      'ht\ntp://127.0.0.1:PORT/',
      'http://127.0.\t0.1:PORT/',
      '\u0000http://127.0.0.1:PORT/',
      'http://127.0.0.1:00PORT/',
    ],
    ...[
      'http://public.example%40127.0.0.1:PORT/',
      'http://public.example%00@127.0.0.1:PORT/',
      'http://[::1]:PORT@127.0.0.1:PORT/',
    ],
    ...[
      'http://inside.example\\.public.example:PORT/',
      'http://[::1%25lo]:PORT/',
      'http://[::1%lo]:PORT/',
      'http://[127.0.0.1]:PORT/',
    ],
  ],
  'another scheme': [
    ...['file:///etc/passwd', 'file://localhost/etc/passwd', 'ftp://127.0.0.1:PORT/', 'gopher://127.0.0.1:PORT/_x'],
    ...['dict://127.0.0.1:PORT/', 'ldap://127.0.0.1:PORT/', 'ws://127.0.0.1:PORT/', 'wss://127.0.0.1:PORT/'],
    ...[
      'data:text/plain,x',
      'javascript:alert(1)',
      'blob:http://127.0.0.1:PORT/x',
      'about:blank',
      'jar:http://127.0.0.1:PORT/',
    ],
    ...[
      'unix:///var/run/docker.sock',
      'http+unix://%2Fvar%2Frun%2Fdocker.sock/',
      'http://unix:/var/run/docker.sock:/x',
    ],
    ...[
      'http://%2Fvar%2Frun%2Fdocker.sock/',
      'tftp://127.0.0.1:PORT/x',
      'view-source:http://127.0.0.1:PORT/',
      '//127.0.0.1:PORT/',
    ],
  ],
  'a broken address': [
    ...[
      'http://',
      'http://:PORT/',
      'http://1.2.3.4.5:PORT/',
      'http://256.1.1.1:PORT/',
      'http://0x1ffffffff:PORT/',
      'http://[::1',
    ],
    ...[
      'http://127.0.0.1:99999/',
      'http://127.0.0.1:-1/',
      'http://127.0.0.1:PORT:PORT/',
      'http://a b:PORT/',
      'http://.:PORT/',
      '',
    ],
  ],
} as const

export interface Trick {
  kind: string
  url: string
}

/** Without what a URL cannot carry, by the parser's own word: such a text reaches nobody. */
export function tricks(port: number): Trick[] {
  const byHost = Object.entries(hosts).flatMap(([kind, list]) =>
    list.map((host) => ({ kind, url: `http://${host}:${port}/` })),
  )
  const others = Object.entries(around).flatMap(([kind, list]) =>
    list.map((url) => ({ kind, url: url.replaceAll('PORT', String(port)) })),
  )
  return [...byHost, ...others]
}

const v4 = (address: string): ResolvedAddress => ({ address, family: 4 })
const v6 = (address: string): ResolvedAddress => ({ address, family: 6 })
export const outside = v4('93.184.215.14')

const answers: Readonly<Record<string, ResolvedAddress[]>> = {
  'metadata.google.internal': [v4('169.254.169.254')],
  metadata: [v4('169.254.169.254')],
  'instance-data': [v4('169.254.169.254')],
  'inside.example': [v4('10.0.0.7')],
  'loopback.example': [v4('127.0.0.1')],
  'mixed.example': [outside, v4('127.0.0.1')],
  'last.example': [outside, outside, v6('::1')],
  'mapped.example': [v6('::ffff:127.0.0.1')],
  'nat64.example': [v6('64:ff9b::7f00:1')],
  'zoned.example': [v6('fe80::1%2')],
  'six.example': [v6('::1')],
  'zero.example': [v4('0.0.0.0')],
  'xn--bcher-kva.example': [v4('127.0.0.1')],
  '127.0.0.1.nip.example': [v4('127.0.0.1')],
  '7f000001.rbndr.example': [v4('127.0.0.1')],
  'broken.example': [v4('not an address')],
  'empty.example': [],
}

/** Whatever is not listed does not exist, as with a real resolver. */
export async function resolveTricks(host: string): Promise<ResolvedAddress[]> {
  const found = answers[host]
  if (found) return found
  throw Object.assign(new Error(`getaddrinfo ENOTFOUND ${host}`), { code: 'ENOTFOUND' })
}
