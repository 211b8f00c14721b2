export * from './address.js'
export * from './allow-list.js'
export * from './egress.js'
export type { GuardOptions, Resolve, ResolvedAddress } from './guard.js'
