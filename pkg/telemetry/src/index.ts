export * from './hangs.js'
export * from './metrics.js'
export * from './start-telemetry.js'
export * from './tracing.js'
