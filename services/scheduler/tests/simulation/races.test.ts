import { validateDefinition } from '@millrace/definition'
import { expect, test } from 'vitest'
import { runHasEnded } from '../../src/domain/run-state.js'
import { noFaults } from './faults.js'
import { Simulation } from './simulation.js'
import { SimWorker } from './worker.js'

/** Ten thousand were played once; see docs/simulation.md. */
const INTERLEAVINGS = Number(process.env.INTERLEAVINGS ?? 400)

/** All times fall into the same third of a second, so that any of the three may come first, or between any two steps. */
const definitionOf = (timeoutMs: number) => {
  const tasks = { only: { uses: 'noop', retry: { maxAttempts: 1 }, totalTimeout: `${timeoutMs}ms` } }
  const { definition } = validateDefinition({ name: 'race', timeout: `${timeoutMs + 7}ms`, tasks })
  if (!definition) throw new Error('not a definition')
  return definition
}

/** Two replicas and a worker: one run is leased, reported, cancelled by a user and timed out, in an order of chance. */
async function race(seed: number): Promise<{ outcome: string; problems: string[] }> {
  const simulation = new Simulation({ seed, faults: { ...noFaults, slowStatement: 0.05, oldSnapshot: 0.2 } })
  const { world, database, invariants } = simulation
  const { chance } = world
  const { runId } = simulation.addReplica()
  simulation.addReplica()
  new SimWorker('w', simulation)
  const event = simulation.startedEvent(runId, { definition: definitionOf(chance.int(1, 30) * 10) })
  const created = chance.between(0, 20)
  world.after(created, null, 'started', () => void simulation.anyReplica().onWorkflowStarted([event]))
  world.after(created + chance.between(0, 350), null, 'cancel', () => {
    void simulation.anyReplica().engine.cancel(runId, 'by a user')
  })
  const ended = () => runHasEnded(database.live.get('runs', runId)?.status ?? 'queued')
  await world.run(() => ended() || invariants.violations.length > 0, 20_000)
  // Whatever is still under way must change nothing.
  await world.run(() => invariants.violations.length > 0, world.now + 400)
  const run = database.live.get('runs', runId)
  const told = [...database.live.all('events')].filter(({ topic }) => topic === 'workflow.completed')
  const problems = [...invariants.violations]
  if (told.length !== 1) problems.push(`completed ${told.length} times`)
  if (!run || told[0]?.data.status !== run.status)
    problems.push(`the run is ${run?.status}, told as ${told[0]?.data.status}`)
  const [task] = database.live.all('tasks')
  return { outcome: `${run?.status} (${run?.reason ?? ''}), task ${task?.status}`, problems }
}

test('cancel, lease and timeout on two replicas have one outcome, whatever their order', {
  timeout: 900_000,
}, async () => {
  const outcomes = new Map<string, number>()
  for (let seed = 1; seed <= INTERLEAVINGS; seed += 1) {
    const { outcome, problems } = await race(seed)
    expect(problems, `race ${seed}: ${outcome}`).toEqual([])
    outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1)
  }
  if (process.env.INTERLEAVINGS) process.stdout.write(`${JSON.stringify([...outcomes])}\n`)
  // Each of them wins now and then.
  for (const start of ['succeeded', 'cancelled', 'failed (timeout)', 'failed (task_failed)']) {
    expect(
      [...outcomes.keys()].some((outcome) => outcome.startsWith(start)),
      start,
    ).toBe(true)
  }
})
