export { type IamConfig, iamDefaults, readIamConfig } from './config.js'
export type { AdminCredentials, IamDeps } from './context.js'
export { MasterKeyError } from './security/key-ring.js'
export { createIamService, type IamService } from './server.js'
