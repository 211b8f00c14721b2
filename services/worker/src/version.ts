import { createRequire } from 'node:module'

/** Of this package, as people see it in the list of workers. */
export const { version } = createRequire(import.meta.url)('../package.json') as { version: string }
