import { createHash, randomBytes } from 'node:crypto'

const prefix = 'mrh_'
const pattern = /^mrh_[A-Za-z0-9_-]{43}$/

export const newHookToken = (): string => prefix + randomBytes(32).toString('base64url')

/** Undefined for what cannot be a token, so that the database is not asked. */
export const hashOfToken = (token: string): Buffer | undefined =>
  pattern.test(token) ? createHash('sha256').update(token).digest() : undefined
