import { defineConfig } from 'vitest/config'
import { SlowFirst } from './infra/tooling/slow-first.js'

export default defineConfig({
  test: {
    include: [
      'pkg/*/{src,tests}/**/*.test.ts',
      'services/*/{src,tests}/**/*.test.ts',
      'tests/**/*.test.ts',
      'web/src/**/*.test.ts',
      'bench/src/**/*.test.ts',
      'infra/tooling/**/*.test.ts',
      'infra/stack/*/tests/*.test.ts',
      'infra/prometheus/tests/*.test.ts',
    ],
    // Real servers of the stack: make test-stack. What needs tools of its own: make test-observability, test-chart, test-restore.
    exclude: ['**/node_modules/**', '**/tests/stack/**', '**/tests/ops/**'],
    globalSetup: ['pkg/testkit/src/vitest-global-setup.ts'],
    sequence: { sequencer: SlowFirst },
    pool: 'forks',
    maxWorkers: 2,
    testTimeout: 30_000,
    hookTimeout: 60_000,
    teardownTimeout: 20_000,
  },
})
