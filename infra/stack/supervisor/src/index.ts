export { fillEnvoy } from './envoy-file.js'
export { keepTlsSecret } from './envoy-tls.js'
export { readStatus, type StackStatus, type StatusEntry } from './status-file.js'
