import { defineConfig } from 'vitest/config'

/** What needs tools of its own: `make test-observability`, `make test-chart`, `make test-restore`. One file at a time. */
export default defineConfig({
  test: {
    include: ['infra/*/tests/ops/*.test.ts', 'tests/ops/*.test.ts'],
    globalSetup: ['pkg/testkit/src/vitest-global-setup.ts'],
    pool: 'forks',
    maxWorkers: 1,
    testTimeout: 300_000,
    hookTimeout: 900_000,
    teardownTimeout: 30_000,
  },
})
