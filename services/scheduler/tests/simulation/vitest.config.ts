import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

/** For `make sim`: no database, one process, output as it comes. */
export default defineConfig({
  root: fileURLToPath(new URL('../../../../', import.meta.url)),
  test: {
    include: ['services/scheduler/tests/simulation/*.run.ts'],
    pool: 'forks',
    maxWorkers: 1,
    disableConsoleIntercept: true,
  },
})
