import { defineConfig } from 'vitest/config'

/** What shows the console rather than tests it: its pictures (`make screenshots`) and its numbers (`make measure-console`). */
export default defineConfig({
  test: {
    include: ['tests/console/show/*.show.ts'],
    globalSetup: ['pkg/testkit/src/vitest-global-setup.ts'],
    pool: 'forks',
    maxWorkers: 1,
    testTimeout: 300_000,
    hookTimeout: 180_000,
  },
})
