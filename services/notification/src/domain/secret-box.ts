import { randomBytes } from 'node:crypto'

export { createSecretBox, type SecretBox } from '@millrace/config'

/** 256 bits, in the form Standard Webhooks prescribes. */
export const newWebhookSecret = (): string => `whsec_${randomBytes(32).toString('base64')}`
