import { defineConfig } from 'vitest/config'

/** What needs the real servers of the stack: `make test-stack`. One file at a time: they start servers of their own. */
export default defineConfig({
  test: {
    include: [
      'pkg/*/tests/stack/*.test.ts',
      'services/*/tests/stack/*.test.ts',
      'infra/*/tests/stack/*.test.ts',
      'tests/*.test.ts',
      'tests/console/*.test.ts',
      'tests/stack/*.test.ts',
      'tests/stack/on-demand/*.test.ts',
    ],
    globalSetup: ['pkg/testkit/src/vitest-global-setup.ts'],
    pool: 'forks',
    maxWorkers: 1,
    testTimeout: 300_000,
    hookTimeout: 900_000,
    teardownTimeout: 30_000,
  },
})
