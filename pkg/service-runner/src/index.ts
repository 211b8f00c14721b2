export { Owned } from './owned.js'
export { type RunnableService, type RunOptions, runService } from './run-service.js'
export { untilDone } from './until-done.js'
