export type { KnownRun, SchedulerRuns } from './clients/scheduler.js'
export { type FollowConfig, type MetadataConfig, readMetadataConfig } from './config.js'
export type { MetadataDeps } from './context.js'
export { createMetadataService, type MetadataService } from './server.js'
