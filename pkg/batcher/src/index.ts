export { type Batcher, BatcherClosedError, type BatcherOptions, createBatcher, ItemFailure } from './batcher.js'
export { failFaulty, isolateFaults } from './isolate-faults.js'
