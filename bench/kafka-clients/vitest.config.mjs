import { defineConfig } from 'vitest/config'

/** node_modules/node/bin/node ../../node_modules/vitest/vitest.mjs run -c vitest.config.mjs */
export default defineConfig({
  test: {
    root: import.meta.dirname,
    include: ['*.test.mjs'],
    globalSetup: ['../../pkg/testkit/src/vitest-global-setup.ts'],
    pool: 'forks',
    maxWorkers: 1,
    testTimeout: 60_000,
    hookTimeout: 300_000,
  },
})
