import { chunked, json, lines, request, SMUGGLED, sized, token, type WireCase } from './request-bytes.js'

const refused = (name: string, bytes: string): WireCase => ({ name, bytes, expected: 'refused' })
const safe = (name: string, bytes: string): WireCase => ({ name, bytes, expected: 'safe' })
const served = (name: string, bytes: string, count = 1): WireCase => ({ name, bytes, expected: count })
const cut = (name: string, bytes: string): WireCase => ({ name, bytes, expected: 'safe', cut: true })

const reads = [lines.health, lines.headKeys, 'GET /.well-known/jwks.json HTTP/1.1'] as const

const namedByConnection: WireCase[] = [
  'content-length',
  'Content-Length',
  'transfer-encoding',
  'host',
  'authorization',
  'cookie',
  'x-millrace-identity',
  'X-Millrace-Project',
  'x-millrace-anything',
  'x-forwarded-for',
  'X-Forwarded-Proto',
].flatMap((name) => [
  refused(`Connection names ${name}`, request(lines.health, [`Connection: keep-alive, ${name}`])),
  refused(
    `Connection names ${name}, on a POST with a body`,
    request(lines.login, [json, `Connection: ${name}`, sized(SMUGGLED)], SMUGGLED),
  ),
])

const disguised: WireCase[] = [
  ['a second line', ['Connection: keep-alive', 'Connection: content-length']],
  ['a tab', ['Connection: keep-alive,\tcontent-length']],
  ['no space', ['Connection: keep-alive,content-length,close']],
  ['empty elements', ['Connection: ,, content-length ,,']],
  ['another case', ['CONNECTION: Close, CONTENT-LENGTH']],
  ['Proxy-Connection beside it', ['Proxy-Connection: content-length', 'Connection: content-length']],
  ['a parameter', ['Connection: content-length;q=1']],
].map(([how, headers]) =>
  refused(
    `Connection names content-length with ${how}`,
    request(lines.login, [json, sized(SMUGGLED), ...(headers as string[])], SMUGGLED),
  ),
)

const bodiesOnReads: WireCase[] = reads.flatMap((line) => [
  refused(
    `${line} with the framing dropped`,
    request(line, ['Connection: keep-alive, content-length', sized(SMUGGLED)], SMUGGLED),
  ),
  refused(`${line} with a sized body`, request(line, [sized(SMUGGLED)], SMUGGLED)),
  refused(`${line} with a chunked body`, request(line, ['Transfer-Encoding: chunked'], chunked(SMUGGLED))),
  refused(`${line} with an empty chunked body`, request(line, ['Transfer-Encoding: chunked'], chunked())),
  refused(`${line} with a body that waits for 100`, request(line, [sized(SMUGGLED), 'Expect: 100-continue'], SMUGGLED)),
  served(`${line} with Content-Length: 0`, request(line, ['Content-Length: 0'])),
  refused(
    `${line} with Content-Length: 0 named by Connection`,
    request(line, ['Content-Length: 0', 'Connection: content-length'], SMUGGLED),
  ),
])

const guardedReads: WireCase[] = [
  refused(
    'a guarded read with the framing dropped',
    request(lines.runs, [token, 'Connection: content-length', sized(SMUGGLED)], SMUGGLED),
  ),
  refused('a guarded read with a sized body', request(lines.runs, [token, sized(SMUGGLED)], SMUGGLED)),
  served('a guarded read', request(lines.runs, [token])),
]

const lengths: WireCase[] = [
  '5, 5',
  '5,6',
  '+5',
  '-5',
  '0x5',
  '5 5',
  '5.0',
  '5e0',
  '١',
  '"5"',
  '',
  'five',
  '99999999999999999999999',
  '18446744073709551621',
  '5\x0b',
  '5;',
].map((value) =>
  refused(
    `Content-Length ${JSON.stringify(value)}`,
    request(lines.login, [json, `Content-Length: ${value}`], `hello${SMUGGLED}`),
  ),
)

const repeated: WireCase[] = [
  refused(
    'two lengths that differ',
    request(lines.login, [json, 'Content-Length: 5', 'Content-Length: 6'], `hello${SMUGGLED}`),
  ),
  refused(
    'two lengths that agree',
    request(lines.login, [json, 'Content-Length: 5', 'Content-Length: 5'], `hello${SMUGGLED}`),
  ),
  refused(
    'a length and chunked',
    request(lines.login, [json, 'Content-Length: 5', 'Transfer-Encoding: chunked'], chunked('hello')),
  ),
  refused(
    'chunked and a length',
    request(lines.login, [json, 'Transfer-Encoding: chunked', 'Content-Length: 5'], chunked('hello')),
  ),
  refused(
    'chunked twice',
    request(lines.login, [json, 'Transfer-Encoding: chunked', 'Transfer-Encoding: chunked'], chunked('hello')),
  ),
  refused('two hosts', request(lines.health, ['Host: y'])),
  refused('two hosts that agree', request(lines.health, ['Host: x'])),
  refused('no host', 'GET /healthz HTTP/1.1\r\nConnection: close\r\n\r\n'),
  refused('two authorizations', request(lines.runs, [token, 'Authorization: Bearer other'])),
  refused('two projects', request(lines.runs, [token, 'X-Millrace-Project: a', 'X-Millrace-Project: b'])),
  refused('two content types', request(lines.login, [json, 'Content-Type: text/plain', 'Content-Length: 2'], '{}')),
]

const codings: WireCase[] = [
  'identity',
  'gzip, chunked',
  'chunked, gzip',
  'chunked, chunked',
  'chunked, identity',
  'xchunked',
  'chunkedx',
  'chunked;q=1',
  '"chunked"',
  'chunked,',
  ',chunked',
  '\x0bchunked',
  'chunked\x0b',
  'ch\x00unked',
  'chunked\x00',
  'deflate',
  '',
].map((value) =>
  refused(
    `Transfer-Encoding ${JSON.stringify(value)}`,
    request(lines.login, [json, `Transfer-Encoding: ${value}`], chunked('hello') + SMUGGLED),
  ),
)

const spellings: WireCase[] = [
  ['a space before the colon', 'Transfer-Encoding : chunked'],
  ['a tab before the colon', 'Transfer-Encoding\t: chunked'],
  ['an underscore', 'Transfer_Encoding: chunked'],
  ['a leading space', ' Transfer-Encoding: chunked'],
  ['a NUL in the name', 'Transfer-\x00Encoding: chunked'],
  ['a byte over ASCII in the name', 'Transfer-Encoding\xa0: chunked'],
  ['a colon at the front', ': chunked'],
  ['no colon', 'Transfer-Encoding'],
  ['a bare CR in the value', 'X-A: b\rTransfer-Encoding: chunked'],
  ['a bare LF before it', 'X-A: b\nTransfer-Encoding: chunked'],
  ['a folded line', 'Transfer-Encoding:\r\n chunked'],
  ['a folded line with a tab', 'Transfer-Encoding:\r\n\tchunked'],
  ['a folded other header', 'X-A: b\r\n Transfer-Encoding: chunked'],
].map(([how, header]) =>
  refused(
    `Transfer-Encoding with ${how}, and a length`,
    request(lines.login, [json, header ?? '', 'Content-Length: 5'], chunked('hello')),
  ),
)

const lengthSpellings: WireCase[] = [
  ['a space before the colon', 'Content-Length : 5'],
  ['an underscore', 'Content_Length: 5'],
  ['a folded line', 'Content-Length:\r\n 5'],
  ['a folded second digit', 'Content-Length: 5\r\n 0'],
  ['a bare LF before it', 'X-A: b\nContent-Length: 5'],
].map(([how, header]) =>
  refused(`Content-Length with ${how}`, request(lines.login, [json, header ?? ''], `hello${SMUGGLED}`)),
)

const chunks: WireCase[] = [
  ['a size that is no number', `z\r\nhello\r\n0\r\n\r\n`],
  ['a negative size', `-5\r\nhello\r\n0\r\n\r\n`],
  ['a size with 0x', `0x5\r\nhello\r\n0\r\n\r\n`],
  ['a size with a plus', `+5\r\nhello\r\n0\r\n\r\n`],
  ['a size over 64 bits', `10000000000000005\r\nhello\r\n0\r\n\r\n`],
  ['a size ended by LF alone', `5\nhello\r\n0\r\n\r\n`],
  ['a size ended by CR alone', `5\rhello\r\n0\r\n\r\n`],
  ['a chunk ended by LF alone', `5\r\nhello\n0\r\n\r\n`],
  ['a chunk longer than its size', `5\r\nhelloworld\r\n0\r\n\r\n`],
  ['a chunk shorter than its size', `9\r\nhello\r\n0\r\n\r\n`],
  ['a space before the size', ` 5\r\nhello\r\n0\r\n\r\n`],
  ['an empty size', `\r\nhello\r\n0\r\n\r\n`],
  ['an extension with a bare LF', `5;a=b\nx\r\nhello\r\n0\r\n\r\n`],
  ['an extension', `5;a=b\r\nhello\r\n0;c\r\n\r\n`],
  ['a last chunk ended by LF alone', `5\r\nhello\r\n0\n\n`],
  ['many zeros', `${'0'.repeat(30)}5\r\nhello\r\n0\r\n\r\n`],
].flatMap(([how, body]) => [
  safe(`a chunk with ${how}`, request(lines.login, [json, 'Transfer-Encoding: chunked'], body + SMUGGLED)),
  safe(`an upload with ${how}`, request(lines.upload, ['Transfer-Encoding: chunked'], body + SMUGGLED)),
])

const trailers: WireCase[] = [
  served(
    'trailers that name an identity',
    request(
      lines.login,
      [json, 'Transfer-Encoding: chunked', 'Trailer: X-Millrace-Identity'],
      '5\r\nhello\r\n0\r\nX-Millrace-Identity: FORGED\r\n\r\n',
    ),
  ),
  safe(
    'trailers that name a length',
    request(lines.login, [json, 'Transfer-Encoding: chunked'], `5\r\nhello\r\n0\r\nContent-Length: 500\r\n\r\n`),
  ),
  safe(
    'trailers that name a coding',
    request(lines.login, [json, 'Transfer-Encoding: chunked'], `5\r\nhello\r\n0\r\nTransfer-Encoding: chunked\r\n\r\n`),
  ),
]

const methods: WireCase[] = [
  refused('CONNECT', request('CONNECT x:80 HTTP/1.1', [])),
  refused('CONNECT with a path', request('CONNECT /healthz HTTP/1.1', [])),
  refused('TRACE', request('TRACE /healthz HTTP/1.1', [])),
  refused('TRACE with a token', request('TRACE /api/v1/runs HTTP/1.1', [token, 'X-Millrace-Identity: FORGED'])),
  refused('a method in lower case', request('get /healthz HTTP/1.1', [])),
  refused('a method nobody knows', request('SMUGGLE /healthz HTTP/1.1', [])),
  refused('a method with a NUL', request('GE\x00T /healthz HTTP/1.1', [])),
  refused(
    'an upgrade to WebSocket',
    request(
      lines.health,
      ['Connection: Upgrade', 'Upgrade: websocket', 'Sec-WebSocket-Key: eA==', 'Sec-WebSocket-Version: 13'],
      SMUGGLED,
    ),
  ),
  served(
    'an upgrade to h2c is not taken',
    request(lines.health, [
      'Connection: Upgrade, HTTP2-Settings',
      'Upgrade: h2c',
      'HTTP2-Settings: AAMAAABkAAQAoAAAAAIAAAAA',
    ]),
  ),
  refused('the preface of HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'),
]

const versions: WireCase[] = [
  refused('HTTP/1.0', 'GET /healthz HTTP/1.0\r\nHost: x\r\n\r\n'),
  refused('HTTP/1.0 kept alive', 'GET /healthz HTTP/1.0\r\nHost: x\r\nConnection: keep-alive\r\n\r\n'),
  refused(
    'HTTP/1.0 chunked',
    `POST /api/v1/auth/login HTTP/1.0\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n${chunked('hello')}${SMUGGLED}`,
  ),
  refused('HTTP/0.9', 'GET /healthz\r\n\r\n'),
  refused('HTTP/0.9 named', 'GET /healthz HTTP/0.9\r\nHost: x\r\n\r\n'),
  refused('HTTP/2.0 named', 'GET /healthz HTTP/2.0\r\nHost: x\r\n\r\n'),
  refused('HTTP/1.2', 'GET /healthz HTTP/1.2\r\nHost: x\r\n\r\n'),
  refused('HTTP/1.1 in lower case', 'GET /healthz http/1.1\r\nHost: x\r\n\r\n'),
  refused('HTTP/01.1', 'GET /healthz HTTP/01.1\r\nHost: x\r\n\r\n'),
  safe('two spaces in the request line', 'GET  /healthz HTTP/1.1\r\nHost: x\r\n\r\n'),
  refused('a space in the target', 'GET /healthz x HTTP/1.1\r\nHost: x\r\n\r\n'),
  refused('a tab in the request line', 'GET\t/healthz HTTP/1.1\r\nHost: x\r\n\r\n'),
  refused('lines ended by LF alone', 'GET /healthz HTTP/1.1\nHost: x\n\n'),
  refused('a request line ended by LF alone', 'GET /healthz HTTP/1.1\nHost: x\r\n\r\n'),
  refused('a head ended by LF alone', 'GET /healthz HTTP/1.1\r\nHost: x\r\n\n'),
]

const expectations: WireCase[] = [
  served('a POST that waits for 100', request(lines.login, [json, 'Content-Length: 2', 'Expect: 100-continue'], '{}')),
  refused(
    'an expectation nobody knows',
    request(lines.login, [json, 'Content-Length: 2', 'Expect: 200-ok'], `{}${SMUGGLED}`),
  ),
  refused(
    'two expectations',
    request(lines.login, [json, 'Content-Length: 2', 'Expect: 100-continue', 'Expect: other'], '{}'),
  ),
]

const pipelined: WireCase[] = [
  served('two reads in one packet', request(lines.health, []) + request(lines.health, []), 2),
  served('a read after a body', request(lines.login, [json, 'Content-Length: 2'], '{}') + request(lines.health, []), 2),
  served('a body that holds a request', request(lines.login, [json, sized(SMUGGLED)], SMUGGLED)),
  served(
    'chunks that hold a request',
    request(lines.login, [json, 'Transfer-Encoding: chunked'], chunked('x', SMUGGLED)),
  ),
  served('an upload that holds a request', request(lines.upload, [sized(SMUGGLED)], SMUGGLED)),
  served('a guarded body that holds a request', request(lines.start, [token, json, sized(SMUGGLED)], SMUGGLED)),
  served(
    'a second request that forges an identity',
    request(lines.health, []) + request(lines.health, ['X-Millrace-Identity: FORGED']),
    2,
  ),
  {
    ...refused(
      'nothing after what was refused',
      request(lines.health, ['Connection: host']) + request(lines.health, []) + request(lines.health, []),
    ),
    requests: 3,
  },
  {
    ...refused(
      'nothing after a body on a read',
      request(lines.health, [sized(SMUGGLED)], SMUGGLED) + request(lines.health, []),
    ),
    requests: 2,
  },
  {
    ...refused(
      'nothing after an odd coding',
      request(lines.login, ['Transfer-Encoding: identity, chunked'], chunked()) + request(lines.health, []),
    ),
    requests: 2,
  },
]

const incomplete: WireCase[] = [
  cut('a body cut short', request(lines.login, [json, 'Content-Length: 500'], SMUGGLED)),
  cut('chunks cut short', request(lines.login, [json, 'Transfer-Encoding: chunked'], `fff\r\n${SMUGGLED}`)),
  cut('an upload cut short', request(lines.upload, ['Content-Length: 5000'], SMUGGLED)),
  cut(
    'a chunked upload without its last chunk',
    request(lines.upload, ['Transfer-Encoding: chunked'], `5\r\nhello\r\n`),
  ),
  cut('a head cut short', 'GET /healthz HTTP/1.1\r\nHost: x\r\nX-Millrace-Identity: FORGED\r\n'),
]

export const smugglingCases: readonly WireCase[] = [
  ...namedByConnection,
  ...disguised,
  ...bodiesOnReads,
  ...guardedReads,
  ...lengths,
  ...repeated,
  ...codings,
  ...spellings,
  ...lengthSpellings,
  ...chunks,
  ...trailers,
  ...methods,
  ...versions,
  ...expectations,
  ...pipelined,
  ...incomplete,
]
