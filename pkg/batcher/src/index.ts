export { type Batcher, BatcherClosedError, type BatcherOptions, createBatcher, ItemFailure } from './batcher.js'
