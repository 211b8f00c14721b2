import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { derived, type SealingKeys } from './seal.js'

const ID_BYTES = 16

/**
 * Marks a browser in which a person once logged in. Its id gives failed logins from there a counter of their own; it
 * lets nobody in. It is signed together with the account, so that one's own cookie is worth nothing for another's.
 */
export class DeviceCookies {
  private readonly keys: SealingKeys

  constructor(masterKeys: SealingKeys) {
    this.keys = derived(masterKeys, 'millrace/iam/device-cookies')
  }

  issue(account: Buffer): string {
    const id = randomBytes(ID_BYTES)
    return `${id.toString('base64url')}.${sign(this.keys[0], id, account).toString('base64url')}`
  }

  /** The device's id; null when the cookie is another account's, made up, or not there. */
  read(cookie: string | undefined, account: Buffer): Buffer | null {
    const match = /^([A-Za-z0-9_-]{22})\.([A-Za-z0-9_-]{43})$/.exec(cookie ?? '')
    if (!match) return null
    const id = Buffer.from(match[1] ?? '', 'base64url')
    const signature = Buffer.from(match[2] ?? '', 'base64url')
    return this.keys.some((key) => timingSafeEqual(signature, sign(key, id, account))) ? id : null
  }
}

const sign = (key: Buffer, id: Buffer, account: Buffer): Buffer =>
  createHmac('sha256', key).update(id).update(account).digest()
