export { fillEnvoy } from './envoy-file.js'
export { readStatus, type StackStatus, type StatusEntry } from './status-file.js'
