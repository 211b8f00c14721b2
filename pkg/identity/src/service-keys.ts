import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto'
import { isServiceName, type ServiceName, serviceNames } from './service-name.js'

/** ES256 keys as base64 of DER: PKCS #8 and SubjectPublicKeyInfo, one line each, as openssl writes them too. */
export interface ServiceKeyPair {
  privateKey: string
  publicKey: string
}

export type ServiceKeySet = Record<ServiceName, ServiceKeyPair>

/** Several for one name while a key is being replaced. */
export type TrustedServices = ReadonlyMap<ServiceName, readonly KeyObject[]>

export function generateServiceKeySet(): ServiceKeySet {
  return Object.fromEntries(serviceNames.map((name) => [name, generateServiceKeyPair()])) as ServiceKeySet
}

export function generateServiceKeyPair(): ServiceKeyPair {
  const pair = generateKeyPairSync('ec', {
    namedCurve: 'P-256',
    publicKeyEncoding: { type: 'spki', format: 'der' },
    privateKeyEncoding: { type: 'pkcs8', format: 'der' },
  })
  return { privateKey: pair.privateKey.toString('base64'), publicKey: pair.publicKey.toString('base64') }
}

/** `name=key` pairs with commas between, the form that `parseTrustedServices` reads. */
export function formatTrustedServices(keys: Readonly<Record<string, { publicKey: string }>>): string {
  return Object.entries(keys)
    .map(([name, { publicKey }]) => `${name}=${publicKey}`)
    .join(',')
}

export function parseTrustedServices(text: string): TrustedServices {
  const trusted = new Map<ServiceName, KeyObject[]>()
  for (const pair of text.split(',').map((part) => part.trim())) {
    const split = pair.indexOf('=')
    const name = pair.slice(0, Math.max(0, split))
    if (!isServiceName(name)) throw new TypeError('a pair does not begin with the name of a service')
    const key = createPublicKey({ key: fromBase64(pair.slice(split + 1)), format: 'der', type: 'spki' })
    trusted.set(name, [...(trusted.get(name) ?? []), requireP256(key)])
  }
  return trusted
}

/** One line of base64, or PEM. */
export function parseServicePrivateKey(text: string): KeyObject {
  if (text.includes('-----BEGIN')) return requireP256(createPrivateKey(text))
  return requireP256(createPrivateKey({ key: fromBase64(text), format: 'der', type: 'pkcs8' }))
}

function fromBase64(text: string): Buffer {
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(text)) throw new TypeError('a key is not base64')
  return Buffer.from(text, 'base64')
}

/** Another kind of key could be used with another algorithm than the one that is checked. */
function requireP256(key: KeyObject): KeyObject {
  if (key.asymmetricKeyType === 'ec' && key.asymmetricKeyDetails?.namedCurve === 'prime256v1') return key
  throw new TypeError('a key is not an EC key on P-256')
}
