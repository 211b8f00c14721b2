export { type EngineConfig, readSchedulerConfig, type SchedulerConfig } from './config.js'
export type { SchedulerDeps } from './context.js'
export { createSchedulerService, type SchedulerService } from './server.js'
