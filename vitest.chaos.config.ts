import { defineConfig } from 'vitest/config'

/** Crashes, outages and replicas in real processes: make test-chaos. One file at a time; each owns the machine. */
export default defineConfig({
  test: {
    include: ['tests/chaos/**/*.chaos.ts'],
    globalSetup: ['pkg/testkit/src/vitest-global-setup.ts'],
    pool: 'forks',
    maxWorkers: 1,
    fileParallelism: false,
    testTimeout: 600_000,
    hookTimeout: 180_000,
    teardownTimeout: 60_000,
  },
})
