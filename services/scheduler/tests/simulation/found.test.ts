import { validateDefinition } from '@millrace/definition'
import { expect, test } from 'vitest'
import type { RunRow, TaskRow } from '../../src/db/load-runs.js'
import type { Command } from '../../src/domain/commands.js'
import { realEnvironment } from '../../src/engine/environment.js'
import { Plans } from '../../src/engine/plans.js'
import { RunStates } from '../../src/engine/run-states.js'
import type { RunReads } from '../../src/engine/store.js'
import { definitionOf } from './definitions.js'
import { noFaults } from './faults.js'
import type { Replica } from './replica.js'
import { Simulation } from './simulation.js'
import { caller } from './worker.js'

// Distilled from seeds that once failed.

test('a run that changes while it is read is never taken for newer than its tasks', async () => {
  let rev = 1
  const change = () => {
    rev += 1
  }
  const run = () => ({
    id: 'run',
    rev,
    version_id: 'v',
    labels: {},
    status: 'running',
    created_at: new Date(0),
    started_at: null,
  })
  const task = () => ({ id: 'task', run_id: 'run', ordinal: 0, status: 'pending', attempt: rev })
  const store: RunReads = {
    loadRunRows: async () => {
      const rows = [run() as unknown as RunRow]
      change()
      return rows
    },
    loadTaskRows: async () => {
      const rows = [task() as unknown as TaskRow]
      change()
      return rows
    },
    loadPayloads: async () => new Map(),
    loadSignals: async () => new Map(),
    findExistingTimers: async () => new Set(),
  }
  const plans = new Plans(async () => definitionOf(0), { max: 1, maxAgeMs: 1000, env: realEnvironment })
  const found = await new RunStates(plans, 10).get(store, ['run'])
  const state = found.states.get('run')
  // The attempt stands for the rev under which the task was read.
  expect(state?.rev).toBeLessThanOrEqual(state?.tasks[0]?.attempt ?? 0)
})

/** Lets the world go on until this is answered. */
async function answered<T>(simulation: Simulation, promise: Promise<T>): Promise<T> {
  let settled = false
  const done = () => {
    settled = true
  }
  promise.then(done, done)
  await simulation.world.run(() => settled, simulation.world.now + 20_000)
  return promise
}

test('a pause in the batch of a run on hold leaves it startable', async () => {
  const simulation = new Simulation({ seed: 1, faults: noFaults })
  const { world, database } = simulation
  const runId = simulation.addReplica().runId
  const [replica] = simulation.replicas
  void replica?.engine.submit({ runId, command: { kind: 'pause' } })
  void replica?.onWorkflowStarted([simulation.startedEvent(runId, { hold: true })])
  await world.run(() => database.live.get('runs', runId) !== undefined, 5000)
  expect(database.live.get('runs', runId)?.status).toBe('paused')
  void replica?.engine.pauseOrResume(runId, 'resume')
  await world.run(() => database.live.get('runs', runId)?.started_at !== null, 10_000)
  expect(database.live.get('runs', runId)?.started_at).not.toBeNull()
})

/** Two replicas, and a run of two tasks in a row that both have read: the second's memory of it is old from then on. */
async function twoReplicas(seed: number) {
  const simulation = new Simulation({ seed, faults: noFaults })
  const { replica: first, runId } = simulation.addReplica()
  const { replica: second } = simulation.addReplica()
  const source = { name: 'test', tasks: { a: { uses: 'noop' }, b: { uses: 'noop', needs: ['a'] } } }
  const { definition } = validateDefinition(source)
  if (!definition) throw new Error('not a definition')
  await answered(simulation, first.onWorkflowStarted([simulation.startedEvent(runId, { definition })]))
  const signal = { signalId: 's', name: 'seen', payload: 'null' }
  await answered(simulation, second.engine.signal(runId, signal))
  return { simulation, runId, first, second }
}

test('a live lease counts with a replica whose memory of the run is old', async () => {
  const { simulation, first, second } = await twoReplicas(2)
  const terms = { name: 'w', executors: ['noop'], queues: [], concurrency: 1, sdk: '', version: '', paused: false }
  const { sessionId: id, sessionSecret: secret } = await answered(
    simulation,
    first.register(terms as never, caller as never),
  )
  const session = { id, secret }
  const work = async (replica: Replica) => {
    const { signal } = new AbortController()
    const call = { ...caller, signal, draining: signal, deadline: simulation.world.wallMs + 60_000 }
    const asked = replica.leaseTasks({ session, max: 1, waitMs: 5000 } as never, call as never)
    const { leases = [] } = await answered(simulation, asked)
    const results = leases.map((lease) => ({ ...lease, outcome: 'OUTCOME_SUCCEEDED', outputJson: '1', durationMs: 1 }))
    return answered(simulation, replica.reportResults({ session, results, want: 0 } as never, caller as never))
  }
  expect((await work(first)).verdicts).toEqual(['VERDICT_ACCEPTED'])
  expect((await work(second)).verdicts).toEqual(['VERDICT_ACCEPTED'])
})

test('a resume is not lost on a replica that does not know of the pause', async () => {
  const { simulation, runId, first, second } = await twoReplicas(3)
  await answered(simulation, first.engine.pauseOrResume(runId, 'pause'))
  expect(simulation.database.live.get('runs', runId)?.status).toBe('paused')
  await answered(simulation, second.engine.pauseOrResume(runId, 'resume'))
  expect(simulation.database.live.get('runs', runId)?.status).toBe('running')
})

test('a run that was cancelled before it began, and retried, can be paused and resumed', async () => {
  const simulation = new Simulation({ seed: 4, faults: noFaults })
  const { replica, runId } = simulation.addReplica()
  await answered(simulation, replica.onWorkflowStarted([simulation.startedEvent(runId, { hold: true })]))
  await answered(simulation, replica.engine.cancel(runId, 'no'))
  await answered(simulation, replica.engine.submit({ runId, command: { kind: 'retry' } }))
  await answered(simulation, replica.engine.pauseOrResume(runId, 'pause'))
  await answered(simulation, replica.engine.pauseOrResume(runId, 'resume'))
  expect(simulation.database.live.get('runs', runId)?.status).toBe('running')
})

test('the end of a generation is told, also when a retry follows in the same batch', async () => {
  const { simulation, runId, first } = await twoReplicas(5)
  const cancelled = first.engine.submit({ runId, command: { kind: 'cancel', reason: 'no' } })
  const retried = first.engine.submit({ runId, command: { kind: 'retry' } })
  await answered(simulation, Promise.all([cancelled, retried]))
  const run = simulation.database.live.get('runs', runId)
  const told = [...simulation.database.live.all('events')].filter(({ topic }) => topic === 'workflow.completed')
  expect(run?.generation).toBe(2)
  expect(told.map(({ data }) => data.generation)).toEqual([1])
})

/** Leases the run's one queued task on this replica; tells what it takes to report on it. */
async function leaseOne(simulation: Simulation, replica: Replica) {
  const terms = { name: 'w', executors: ['noop'], queues: [], concurrency: 1, sdk: '', version: '', paused: false }
  const registered = replica.register(terms as never, caller as never)
  const { sessionId: id = '', sessionSecret: secret } = await answered(simulation, registered)
  const { signal } = new AbortController()
  const call = { ...caller, signal, draining: signal, deadline: simulation.world.wallMs + 60_000 }
  const asked = replica.leaseTasks({ session: { id, secret }, max: 1, waitMs: 5000 } as never, call as never)
  const [given] = (await answered(simulation, asked)).leases ?? []
  const lease = { token: Number(given?.token), leaseId: given?.leaseId ?? '', sessionId: id }
  return { taskId: given?.taskId ?? '', lease, report: { sessionId: id, workerId: 'w', durationMs: 1, poll: null } }
}

test('a result that is accepted counts, also when a timeout came into its batch before it', async () => {
  const { simulation, runId, first } = await twoReplicas(2)
  const { live } = simulation.database
  const { taskId, lease, report } = await leaseOne(simulation, first)
  const timeout = first.engine.submit({ runId, command: { kind: 'total-timeout', taskId, timerId: 999 } })
  const result = first.engine.submit({ runId, report, command: { kind: 'succeed', taskId, lease, output: '1' } })
  await answered(simulation, Promise.all([timeout, result]))
  expect(await result).toBe('applied')
  expect(live.get('tasks', taskId)?.status).toBe('succeeded')
})

const broken = { code: 'simulated', message: 'failed', class: 'user', retryable: true } as const

/** One replica, and a run of one task that retries after a minute; its first attempt is with a worker. */
async function retrying(seed: number, more: Record<string, unknown> = {}) {
  const simulation = new Simulation({ seed, faults: noFaults })
  const { replica, runId } = simulation.addReplica()
  const retry = { maxAttempts: 5, delay: '60s', jitter: 'none' }
  const tasks = { a: { uses: 'noop', retry, ...more }, z: { uses: 'approval' } }
  const { definition } = validateDefinition({ name: 'test', tasks })
  if (!definition) throw new Error('not a definition')
  await answered(simulation, replica.onWorkflowStarted([simulation.startedEvent(runId, { definition })]))
  const held = await leaseOne(simulation, replica)
  const { live } = simulation.database
  const submit = (command: Command) => replica.engine.submit({ runId, command })
  const fail = ({ taskId, lease, report }: typeof held) =>
    replica.engine.submit({ runId, report, command: { kind: 'fail', taskId, lease, error: broken, random: 0 } })
  const timers = () => [...live.all('timers')].map(({ kind }) => kind).sort()
  return { simulation, replica, held, live, submit, fail, timers, runId, taskId: held.taskId }
}

test('a run that begins, is paused and resumed in one batch goes on', async () => {
  const simulation = new Simulation({ seed: 12, faults: noFaults })
  const { replica, runId } = simulation.addReplica()
  const { definition } = validateDefinition({ name: 'test', tasks: { a: { uses: 'noop' } } })
  if (!definition) throw new Error('not a definition')
  await answered(simulation, replica.onWorkflowStarted([simulation.startedEvent(runId, { definition, hold: true })]))
  const kinds = ['resume', 'pause', 'resume'] as const
  await answered(simulation, Promise.all(kinds.map((kind) => replica.engine.submit({ runId, command: { kind } }))))
  expect(simulation.database.live.get('runs', runId)?.status).toBe('running')
})

test('a retry that was due before begins no attempt after the next failure of the task', async () => {
  const { simulation, held, live, submit, fail, taskId } = await retrying(6)
  const old = submit({ kind: 'retry-due', taskId, timerId: 999 })
  await answered(simulation, Promise.all([fail(held), old]))
  expect(live.get('tasks', taskId)).toMatchObject({ status: 'delayed', attempt: 1 })
  // On the locked path too.
  await answered(simulation, Promise.all([submit({ kind: 'pause' }), submit({ kind: 'resume' })]))
  const again = await leaseOne(simulation, simulation.anyReplica())
  const stop = submit({ kind: 'run-timeout', timerId: 998 })
  const due = submit({ kind: 'retry-due', taskId, timerId: 999 })
  await answered(simulation, Promise.all([fail(again), stop, due]))
  expect(live.get('tasks', taskId)).toMatchObject({ status: 'delayed', attempt: 2 })
  expect(live.get('runs', live.get('tasks', taskId)?.run_id ?? '')?.status).toBe('running')
})

test('a timer that stands means the attempt it was set for, not the one that its own batch began', async () => {
  const { simulation, held, live, submit, fail, taskId } = await retrying(7, { queueTimeout: '30s' })
  const timer = [...live.all('timers')].find(({ kind }) => kind === 'queue-timeout')
  const all = [fail(held), submit({ kind: 'pause' }), submit({ kind: 'resume' })]
  all.push(submit({ kind: 'queue-timeout', taskId, timerId: timer?.id ?? 0 }))
  await answered(simulation, Promise.all(all))
  expect(live.get('tasks', taskId)).toMatchObject({ status: 'queued', attempt: 2 })
})

test('with an attempt go the timers that were set for it', async () => {
  const limits = { queueTimeout: '30s', totalTimeout: '20m', onFailure: 'continue' }
  const { simulation, runId, held, submit, fail, timers, taskId } = await retrying(8, limits)
  expect(timers()).toEqual(['queue-timeout', 'total-timeout'])
  await answered(simulation, fail(held))
  expect(timers()).toEqual(['retry', 'total-timeout'])
  await answered(simulation, submit({ kind: 'pause' }))
  await answered(simulation, submit({ kind: 'resume' }))
  expect(timers()).toEqual(['queue-timeout', 'total-timeout'])
  const again = await leaseOne(simulation, simulation.anyReplica())
  await answered(simulation, submit({ kind: 'pause' }))
  await answered(simulation, fail(again))
  expect(timers()).toEqual(['retry', 'total-timeout'])
  // The retry that was set while the run was paused has nothing to do once it is resumed.
  await answered(simulation, submit({ kind: 'resume' }))
  expect(timers()).toEqual(['queue-timeout', 'total-timeout'])
  const { lease, report } = await leaseOne(simulation, simulation.anyReplica())
  const error = { ...broken, class: 'validation', retryable: false } as const
  const command = { kind: 'fail', taskId, lease, error, random: 0 } as const
  await answered(simulation, simulation.anyReplica().engine.submit({ runId: runId, report, command }))
  expect(timers()).toEqual([])
})

test('the items of a map wait where its run waits to be admitted', async () => {
  const simulation = new Simulation({ seed: 9, faults: noFaults })
  const { live } = simulation.database
  const { replica, runId } = simulation.addReplica()
  const source = {
    name: 'test',
    concurrency: { limit: 1 },
    tasks: { m: { uses: 'map', with: { items: [1], task: { uses: 'noop' } } } },
  }
  const { definition } = validateDefinition(source)
  if (!definition) throw new Error('not a definition')
  const projectId = simulation.world.chance.uuid()
  const createRun = (id: string) => replica.onWorkflowStarted([simulation.startedEvent(id, { definition, projectId })])
  await answered(simulation, createRun(runId))
  await simulation.world.run(() => live.get('runs', runId)?.status === 'running', simulation.world.now + 5000)
  await answered(simulation, replica.engine.cancel(runId, 'no'))
  await simulation.world.run(() => live.get('runs', runId)?.status === 'cancelled', simulation.world.now + 5000)
  const other = simulation.world.chance.uuid()
  await answered(simulation, createRun(other))
  await simulation.world.run(() => live.get('runs', other)?.status === 'running', simulation.world.now + 5000)
  // No room: the run that is taken up again waits, and so does its map.
  await answered(simulation, replica.engine.submit({ runId, command: { kind: 'retry' } }))
  await simulation.world.run(() => false, simulation.world.now + 2000)
  expect(live.get('runs', runId)?.status).toBe('queued')
  expect([...live.all('task_queue')].filter(({ run_id }) => run_id === runId)).toEqual([])
  await answered(simulation, replica.engine.cancel(other, 'no'))
  await simulation.world.run(() => live.get('runs', runId)?.status === 'running', simulation.world.now + 5000)
  const queued = () => [...live.all('task_queue')].filter(({ run_id }) => run_id === runId).length
  await simulation.world.run(() => queued() > 0, simulation.world.now + 5000)
  expect(queued()).toBe(1)
})

test('a run that was cancelled before it began, and retried, begins when it is admitted', async () => {
  const simulation = new Simulation({ seed: 10, faults: noFaults })
  const { live } = simulation.database
  const { replica, runId } = simulation.addReplica()
  const map = { uses: 'map', with: { items: [1], task: { uses: 'noop' } } }
  const source = { name: 'test', concurrency: { limit: 1 }, tasks: { a: { uses: 'noop' }, map } }
  const { definition } = validateDefinition(source)
  if (!definition) throw new Error('not a definition')
  await answered(simulation, replica.onWorkflowStarted([simulation.startedEvent(runId, { definition, hold: true })]))
  await answered(simulation, replica.engine.cancel(runId, 'no'))
  await answered(simulation, replica.engine.submit({ runId, command: { kind: 'retry' } }))
  // Sooner than the reconciler would put right what was forgotten.
  await simulation.world.run(() => live.size('task_queue') === 2, simulation.world.now + 1500)
  expect(live.get('runs', runId)?.status).toBe('running')
  expect([...live.all('task_queue')].map(({ child }) => child).sort()).toEqual([false, true])
})

test('a map that was paused when its run ended goes on when one of its children is retried', async () => {
  const simulation = new Simulation({ seed: 11, faults: noFaults })
  const { live } = simulation.database
  const { replica, runId } = simulation.addReplica()
  const map = { uses: 'map', with: { items: [1], task: { uses: 'noop', retry: { maxAttempts: 1 } } } }
  const { definition } = validateDefinition({ name: 'test', tasks: { map } })
  if (!definition) throw new Error('not a definition')
  await answered(simulation, replica.onWorkflowStarted([simulation.startedEvent(runId, { definition })]))
  const { taskId, lease, report } = await leaseOne(simulation, replica)
  await answered(simulation, replica.engine.pauseOrResume(runId, 'pause'))
  const command = { kind: 'fail', taskId, lease, error: broken, random: 0 } as const
  await answered(simulation, replica.engine.submit({ runId, report, command }))
  await simulation.world.run(() => live.get('runs', runId)?.status === 'failed', simulation.world.now + 5000)
  await answered(simulation, replica.engine.submit({ runId, command: { kind: 'retry', taskId } }))
  expect(live.get('runs', runId)?.status).toBe('running')
  expect([...live.all('map_groups')].map(({ paused }) => paused)).toEqual([false])
})
