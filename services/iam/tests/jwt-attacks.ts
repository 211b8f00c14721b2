import { createHmac, createPublicKey, generateKeyPairSync, randomUUID, sign } from 'node:crypto'

export interface Stolen {
  /** A good access token, and the private key that signed it, as the attacker would dearly like to have it. */
  token: string
  kid: string
  privateKeyPem: string
  /** Public, as JWKS shows it. */
  publicJwk: { x: string; y: string }
  /** A signed identity of the same user. */
  identity: string
  refreshToken: string
}

const encode = (value: unknown) =>
  Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url')
const decode = (part: string) => JSON.parse(Buffer.from(part, 'base64url').toString()) as Record<string, unknown>
const partsOf = (token: string) => token.split('.') as [string, string, string]
const now = () => Math.floor(Date.now() / 1000)

const attacker = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const otherCurve = generateKeyPairSync('ec', { namedCurve: 'P-384' })
const attackerJwk = attacker.publicKey.export({ format: 'jwk' })

type Key = Parameters<typeof sign>[2]
const es256 = (head: string, body: string, key: Key) =>
  `${head}.${body}.${sign('sha256', Buffer.from(`${head}.${body}`), { key: key as never, dsaEncoding: 'ieee-p1363' }).toString('base64url')}`

/** The token again with header and claims changed, signed by the platform's own key unless another is given. */
function resigned(stolen: Stolen, header: object, claims: object, key: Key = stolen.privateKeyPem): string {
  const [head, body] = partsOf(stolen.token)
  return es256(encode({ ...decode(head), ...header }), encode({ ...decode(body), jti: randomUUID(), ...claims }), key)
}

function hmac(stolen: Stolen, secret: string | Buffer, algorithm = 'HS256'): string {
  const [head, body] = partsOf(stolen.token)
  const first = encode({ ...decode(head), alg: algorithm })
  return `${first}.${body}.${createHmac(`sha${algorithm.slice(2)}`, secret)
    .update(`${first}.${body}`)
    .digest('base64url')}`
}

const unsigned = (stolen: Stolen, alg: unknown, signature = '') => {
  const [head, body] = partsOf(stolen.token)
  return `${encode({ ...decode(head), alg })}.${body}.${signature}`
}

const publicPem = ({ publicJwk }: Stolen) =>
  createPublicKey({ key: { kty: 'EC', crv: 'P-256', ...publicJwk }, format: 'jwk' }).export({
    type: 'spki',
    format: 'pem',
  })

const flipped = (stolen: Stolen, part: 0 | 1 | 2) => {
  const parts = partsOf(stolen.token)
  const bytes = Buffer.from(parts[part], 'base64url')
  const at = bytes.length >> 1
  bytes[at] = (bytes[at] ?? 0) ^ 1
  parts[part] = bytes.toString('base64url')
  return parts.join('.')
}

const withSignature = (stolen: Stolen, change: (signature: Buffer) => Buffer | string) => {
  const [head, body, signature] = partsOf(stolen.token)
  const changed = change(Buffer.from(signature, 'base64url'))
  return `${head}.${body}.${typeof changed === 'string' ? changed : changed.toString('base64url')}`
}

export const jwtAttacks: Record<string, (stolen: Stolen) => string> = {
  'alg none': (s) => unsigned(s, 'none'),
  'alg None': (s) => unsigned(s, 'None'),
  'alg NONE with the old signature': (s) => unsigned(s, 'NONE', partsOf(s.token)[2]),
  'alg nOnE': (s) => unsigned(s, 'nOnE'),
  'alg empty': (s) => unsigned(s, ''),
  'alg null': (s) => unsigned(s, null),
  'alg a list': (s) => unsigned(s, ['ES256', 'none']),
  'alg missing': (s) => unsigned(s, undefined, partsOf(s.token)[2]),
  'HS256 with the public key as PEM': (s) => hmac(s, publicPem(s)),
  'HS256 with the public key as JWK': (s) => hmac(s, JSON.stringify(s.publicJwk)),
  'HS256 with x': (s) => hmac(s, Buffer.from(s.publicJwk.x, 'base64url')),
  'HS256 with nothing': (s) => hmac(s, ''),
  'HS256 with the kid': (s) => hmac(s, s.kid),
  'HS512 with the public key': (s) => hmac(s, publicPem(s), 'HS512'),
  'RS256 over an EC key': (s) => resigned(s, { alg: 'RS256' }, {}),
  'ES384 of another curve': (s) => resigned(s, { alg: 'ES384' }, {}, otherCurve.privateKey as never),
  ES256K: (s) => resigned(s, { alg: 'ES256K' }, {}),
  'ES256 by a stranger under our kid': (s) => resigned(s, {}, {}, attacker.privateKey as never),
  'kid of nobody': (s) => resigned(s, { kid: randomUUID() }, {}),
  'kid missing': (s) => resigned(s, { kid: undefined }, {}),
  'kid empty': (s) => resigned(s, { kid: '' }, {}),
  'kid a path': (s) => resigned(s, { kid: '../../../../dev/null' }, {}, attacker.privateKey as never),
  'kid an SQL statement': (s) => resigned(s, { kid: "x' union select 'AA" }, {}, attacker.privateKey as never),
  'kid an object': (s) => resigned(s, { kid: { toString: s.kid } }, {}),
  'kid a list': (s) => resigned(s, { kid: [s.kid] }, {}, attacker.privateKey as never),
  'kid __proto__': (s) => resigned(s, { kid: '__proto__' }, {}, attacker.privateKey as never),
  'kid constructor': (s) => resigned(s, { kid: 'constructor' }, {}, attacker.privateKey as never),
  'kid with a NUL': (s) => resigned(s, { kid: `${s.kid}\0` }, {}, attacker.privateKey as never),
  'the key in the header (jwk)': (s) => resigned(s, { jwk: attackerJwk }, {}, attacker.privateKey as never),
  'an address of keys (jku)': (s) =>
    resigned(s, { jku: 'http://127.0.0.1:1/jwks.json' }, {}, attacker.privateKey as never),
  'an address of certificates (x5u)': (s) =>
    resigned(s, { x5u: 'http://127.0.0.1:1/c.pem' }, {}, attacker.privateKey as never),
  'a certificate (x5c)': (s) => resigned(s, { x5c: [encode('certificate')] }, {}, attacker.privateKey as never),
  'a critical header that nobody knows': (s) =>
    resigned(s, { crit: ['exp'], b64: false }, {}, attacker.privateKey as never),
  expired: (s) => resigned(s, {}, { exp: now() - 1 }),
  'expired long ago': (s) => resigned(s, {}, { iat: 0, exp: 1 }),
  'no end': (s) => resigned(s, {}, { exp: undefined }),
  'an end in words': (s) => resigned(s, {}, { exp: '9999999999' }),
  'an end that is infinite': (s) =>
    es256(
      partsOf(s.token)[0],
      encode(`{"sub":"x","sid":"y","aud":"millrace","iss":"millrace-iam","exp":1e999}`),
      attacker.privateKey as never,
    ),
  'not yet good': (s) => resigned(s, {}, { nbf: now() + 600 }),
  'another issuer': (s) => resigned(s, {}, { iss: 'https://issuer.example' }),
  'no issuer': (s) => resigned(s, {}, { iss: undefined }),
  'an issuer that ends with ours': (s) => resigned(s, {}, { iss: 'x millrace-iam' }),
  'another audience': (s) => resigned(s, {}, { aud: 'elsewhere' }),
  'no audience': (s) => resigned(s, {}, { aud: undefined }),
  'the audience of a service': (s) => resigned(s, {}, { aud: 'millrace:iam' }),
  'no subject': (s) => resigned(s, {}, { sub: undefined }),
  'a subject that is no text': (s) => resigned(s, {}, { sub: { id: 1 } }),
  'a session that is not there': (s) => resigned(s, {}, { sid: randomUUID() }),
  'a session that is no id': (s) => resigned(s, {}, { sid: "' or true --" }),
  'a user that is not there': (s) => resigned(s, {}, { sub: randomUUID() }),
  'claims that are text': (s) => es256(partsOf(s.token)[0], encode('"owner"'), s.privateKeyPem),
  'claims that are a list': (s) => es256(partsOf(s.token)[0], encode('[]'), s.privateKeyPem),
  'claims that are null': (s) => es256(partsOf(s.token)[0], encode('null'), s.privateKeyPem),
  'claims that are no JSON': (s) => es256(partsOf(s.token)[0], encode('{'), s.privateKeyPem),
  'a subject given twice': (s) => {
    const [head, body] = partsOf(s.token)
    const text = Buffer.from(body, 'base64url').toString().replace(/}$/, `,"sub":"${randomUUID()}"}`)
    return es256(head, encode(text), s.privateKeyPem)
  },
  'a bit of the header flipped': (s) => flipped(s, 0),
  'a bit of the claims flipped': (s) => flipped(s, 1),
  'a bit of the signature flipped': (s) => flipped(s, 2),
  'no signature': (s) => withSignature(s, () => ''),
  'half a signature': (s) => withSignature(s, (given) => given.subarray(0, 32)),
  'a signature with more behind it': (s) => withSignature(s, (given) => Buffer.concat([given, Buffer.alloc(1)])),
  'a signature of zeros': (s) => withSignature(s, () => Buffer.alloc(64)),
  'a signature twice': (s) => withSignature(s, (given) => Buffer.concat([given, given])),
  'a signature as DER': (s) => {
    const [head, body] = partsOf(s.token)
    return `${head}.${body}.${sign('sha256', Buffer.from(`${head}.${body}`), s.privateKeyPem).toString('base64url')}`
  },
  'two parts': (s) => partsOf(s.token).slice(0, 2).join('.'),
  'four parts': (s) => `${s.token}.x`,
  'five parts, as if encrypted': (s) => `${s.token}.x.y`,
  'white space inside': (s) => s.token.replace('.', ' .'),
  'a line break inside': (s) => s.token.replace('.', '.\n'),
  'ordinary base64 with padding': (s) => `${s.token}==`,
  'a second token behind a comma': (s) => `${s.token},${s.token}`,
  huge: (s) => resigned(s, {}, { pad: 'x'.repeat(8000) }),
  'a signed identity': (s) => s.identity,
  'a refresh token': (s) => s.refreshToken,
}
