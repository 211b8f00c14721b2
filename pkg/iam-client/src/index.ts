export { createIamClient, type IamClient, type IamClientOptions } from './iam-client.js'
export { trustBriefly, type ValidateToken } from './trust-briefly.js'
