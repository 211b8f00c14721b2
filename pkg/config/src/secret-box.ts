import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'

/** Encrypts what only this service may read. `context` (the row's id) is bound in: a value moved to another row does not open. */
export interface SecretBox {
  seal(plain: string, context: string): Buffer
  open(sealed: Buffer, context: string): string
  /** The value under the present key; undefined where it is already. Throws where neither key opens it. */
  rewrap(sealed: Buffer, context: string): Buffer | undefined
}

const version = 1
const nonceLength = 12
const tagLength = 16
const headerLength = 1 + nonceLength + tagLength

function openWith(key: Buffer, sealed: Buffer, context: string): string {
  if (sealed.length < headerLength || sealed[0] !== version) throw new Error('not a sealed value of this version')
  const nonce = sealed.subarray(1, 1 + nonceLength)
  const decipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: tagLength })
    .setAAD(Buffer.from(context))
    .setAuthTag(sealed.subarray(1 + nonceLength, headerLength))
  return Buffer.concat([decipher.update(sealed.subarray(headerLength)), decipher.final()]).toString('utf8')
}

function opens(key: Buffer, sealed: Buffer, context: string): boolean {
  try {
    openWith(key, sealed, context)
    return true
  } catch {
    return false
  }
}

/** `previous` opens what was sealed with it, and never seals. */
export function createSecretBox(key: Buffer, previous?: Buffer): SecretBox {
  const keyOf = (sealed: Buffer, context: string): Buffer =>
    previous !== undefined && !opens(key, sealed, context) ? previous : key
  const box: SecretBox = {
    seal(plain, context) {
      const nonce = randomBytes(nonceLength)
      const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(context))
      const content = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final()])
      return Buffer.concat([Buffer.of(version), nonce, cipher.getAuthTag(), content])
    },
    open: (sealed, context) => openWith(keyOf(sealed, context), sealed, context),
    rewrap: (sealed, context) =>
      keyOf(sealed, context) === key ? undefined : box.seal(box.open(sealed, context), context),
  }
  return box
}
