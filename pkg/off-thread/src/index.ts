export { OffThreadError, type OffThreadFailure } from './off-thread-error.js'
export { serveTasks } from './serve-tasks.js'
export { type RunOptions, ThreadPool, type ThreadPoolOptions } from './thread-pool.js'
