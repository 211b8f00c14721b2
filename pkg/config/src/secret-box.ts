import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'

/** Encrypts what only this service may read. `context` (the row's id) is bound in: a value moved to another row does not open. */
export interface SecretBox {
  seal(plain: string, context: string): Buffer
  open(sealed: Buffer, context: string): string
}

const version = 1
const nonceLength = 12
const tagLength = 16
const headerLength = 1 + nonceLength + tagLength

export function createSecretBox(key: Buffer): SecretBox {
  return {
    seal(plain, context) {
      const nonce = randomBytes(nonceLength)
      const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(context))
      const content = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final()])
      return Buffer.concat([Buffer.of(version), nonce, cipher.getAuthTag(), content])
    },
    open(sealed, context) {
      if (sealed.length < headerLength || sealed[0] !== version) throw new Error('not a sealed value of this version')
      const nonce = sealed.subarray(1, 1 + nonceLength)
      const decipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: tagLength })
        .setAAD(Buffer.from(context))
        .setAuthTag(sealed.subarray(1 + nonceLength, headerLength))
      return Buffer.concat([decipher.update(sealed.subarray(headerLength)), decipher.final()]).toString('utf8')
    },
  }
}
