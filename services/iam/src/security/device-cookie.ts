import { createHmac, hkdfSync, randomBytes, timingSafeEqual } from 'node:crypto'

const ID_BYTES = 16

/**
 * Marks a browser in which a person once logged in. Its id gives failed logins from there a counter of their own; it
 * lets nobody in. It is signed together with the account, so that one's own cookie is worth nothing for another's.
 */
export class DeviceCookies {
  private readonly key: Buffer

  constructor(masterKey: Buffer) {
    this.key = Buffer.from(hkdfSync('sha256', masterKey, '', 'millrace/iam/device-cookies', 32))
  }

  issue(account: Buffer): string {
    const id = randomBytes(ID_BYTES)
    return `${id.toString('base64url')}.${this.sign(id, account).toString('base64url')}`
  }

  /** The device's id; null when the cookie is another account's, made up, or not there. */
  read(cookie: string | undefined, account: Buffer): Buffer | null {
    const match = /^([A-Za-z0-9_-]{22})\.([A-Za-z0-9_-]{43})$/.exec(cookie ?? '')
    if (!match) return null
    const id = Buffer.from(match[1] ?? '', 'base64url')
    const signature = Buffer.from(match[2] ?? '', 'base64url')
    return timingSafeEqual(signature, this.sign(id, account)) ? id : null
  }

  private sign(id: Buffer, account: Buffer): Buffer {
    return createHmac('sha256', this.key).update(id).update(account).digest()
  }
}
