export type { Runs } from './clients/runs.js'
export { type ArtifactConfig, type ArtifactLimits, readArtifactConfig } from './config.js'
export type { ArtifactDeps } from './context.js'
export { type ArtifactService, createArtifactService } from './server.js'
