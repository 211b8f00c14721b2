export { createIamClient, type IamClient, type IamClientOptions } from './iam-client.js'
export * from './quotas.js'
export type { OpenStream } from './stream-quota.js'
export { trustBriefly, type ValidateToken } from './trust-briefly.js'
