import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'

const ALGORITHM = 'aes-256-gcm'
const NONCE_BYTES = 12
const TAG_BYTES = 16

/** nonce, tag, ciphertext. `context` is authenticated, so a sealed value cannot be moved to another row. */
export function seal(masterKey: Buffer, context: string, plain: string): Buffer {
  const nonce = randomBytes(NONCE_BYTES)
  const cipher = createCipheriv(ALGORITHM, masterKey, nonce).setAAD(Buffer.from(context))
  const text = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final()])
  return Buffer.concat([nonce, cipher.getAuthTag(), text])
}

/** Throws when the key is another or the value was changed. */
export function unseal(masterKey: Buffer, context: string, sealed: Buffer): string {
  const nonce = sealed.subarray(0, NONCE_BYTES)
  const tag = sealed.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES)
  const decipher = createDecipheriv(ALGORITHM, masterKey, nonce, { authTagLength: TAG_BYTES })
  decipher.setAAD(Buffer.from(context)).setAuthTag(tag)
  return Buffer.concat([decipher.update(sealed.subarray(NONCE_BYTES + TAG_BYTES)), decipher.final()]).toString('utf8')
}

/** The first opens and seals, the others only open what was sealed before. */
export type SealingKeys = readonly [Buffer, ...Buffer[]]

export function unsealAny([first, ...others]: SealingKeys, context: string, sealed: Buffer): string {
  try {
    return unseal(first, context, sealed)
  } catch (error) {
    const [next, ...rest] = others
    if (!next) throw error
    return unsealAny([next, ...rest], context, sealed)
  }
}

/** The value under the first key; undefined where it is already. */
export function reseal(keys: SealingKeys, context: string, sealed: Buffer): Buffer | undefined {
  try {
    unseal(keys[0], context, sealed)
    return undefined
  } catch {
    return seal(keys[0], context, unsealAny(keys, context, sealed))
  }
}

/** For one purpose, so that the same master key may serve others. */
export const derived = (masterKeys: SealingKeys, purpose: string): SealingKeys =>
  masterKeys.map((key) => Buffer.from(hkdfSync('sha256', key, '', purpose, 32))) as [Buffer, ...Buffer[]]
