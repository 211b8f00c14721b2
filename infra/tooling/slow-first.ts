import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Files that take a minute or so, the slowest first: one of them begun last would leave a core idle for all its time. */
const slow = [
  'services/standalone/tests/supervisor.test.ts',
  'tests/chaos-smoke.test.ts',
  'tests/crash.test.ts',
  'services/scheduler/tests/schedules.test.ts',
  'pkg/embedded-postgres/tests/start-postgres.test.ts',
  'services/scheduler/tests/simulation/simulation.test.ts',
  'services/scheduler/tests/secrets.test.ts',
  'services/scheduler/tests/simulation/mutants.test.ts',
]

function rank({ moduleId }: TestSpecification): number {
  const place = slow.findIndex((file) => moduleId.endsWith(`/${file}`))
  return place < 0 ? slow.length : place
}

export class SlowFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    return sorted.sort((a, b) => rank(a) - rank(b))
  }
}
