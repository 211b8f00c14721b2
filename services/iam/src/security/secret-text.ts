import { createHash, randomBytes } from 'node:crypto'

export const API_KEY_PREFIX = 'mr_'
const REFRESH_PREFIX = 'mrr_'

/** A fast hash is right here: the text has 256 random bits, so there is nothing to guess. */
export const hashOf = (text: string): Buffer => createHash('sha256').update(text).digest()

const randomText = () => randomBytes(32).toString('base64url')

export const newApiKey = (): string => `${API_KEY_PREFIX}${randomText()}`
export const newRefreshToken = (): string => `${REFRESH_PREFIX}${randomText()}`

/** Short enough that a link stays on one line of a mail; 192 random bits. */
export const newOneTimeToken = (): string => randomBytes(24).toString('base64url')

/** What tells keys apart in a list: too little of the key to help anyone. */
export const shownPrefix = (key: string): string => key.slice(0, API_KEY_PREFIX.length + 6)

export const isApiKey = (text: string): boolean => /^mr_[A-Za-z0-9_-]{43}$/.test(text)
export const isRefreshToken = (text: string): boolean => /^mrr_[A-Za-z0-9_-]{43}$/.test(text)
export const isOneTimeToken = (text: string): boolean => /^[A-Za-z0-9_-]{32}$/.test(text)
