import { type ChildProcess, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { join } from 'node:path'
import { logServiceDefinition, workflowServiceDefinition } from '@millrace/contracts'
import { appendEvents } from '@millrace/events'
import { createGrpcServer } from '@millrace/grpc'
import { createPool, type Pool } from '@millrace/postgres'
import { freePort, testDatabase, testLogger, testService, testServiceEnv, waitFor } from '@millrace/testkit'
import { expect, test } from 'vitest'

const root = join(import.meta.dirname, '..', '..', 'services')
const retry = { maxAttempts: 4, backoff: 'fixed', delay: '150ms', jitter: 'none' }
const value = (expression: string) => ({ uses: 'transform', with: { value: `\${{ ${expression} }}` } })

/** Sequence, fan-out, join, retry, failure, condition: what every run answers depends on its input alone. */
const definition = {
  name: 'replicated',
  output: { sum: '${{ tasks.join.output }}', odd: '${{ tasks.odd.status }}' },
  tasks: {
    root: value('input.n'),
    left: { ...value('tasks.root.output + 1'), needs: ['root'] },
    right: { ...value('tasks.root.output * 2'), needs: ['root'] },
    flaky: { uses: 'fail', with: { times: '${{ input.n % 3 }}' }, retry, needs: ['root'] },
    odd: { uses: 'noop', if: '${{ input.n % 2 == 1 }}', needs: ['root'] },
    // Goes on: where a failure stops the run, what else had been tried by then depends on who was quicker.
    doomed: {
      uses: 'fail',
      with: { class: 'non_retryable', times: '${{ input.n % 7 == 0 ? 1 : 0 }}' },
      needs: ['root'],
      onFailure: 'continue',
    },
    join: { ...value('tasks.left.output + tasks.right.output'), needs: ['left', 'right', 'flaky'] },
  },
}

interface Deployment {
  pool: Pool
  schedulers: ChildProcess[]
  close(): Promise<void>
}

function start(service: 'scheduler' | 'worker', env: Record<string, string>): ChildProcess {
  const { PATH = '', HOME = '' } = process.env
  return spawn(process.execPath, [join(root, service, 'dist', 'main.js')], {
    env: { PATH, HOME, ...testServiceEnv(service), MILLRACE_LOG_LEVEL: 'fatal', ...env },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  child.kill('SIGKILL')
  await once(child, 'exit')
}

/** Real scheduler and worker processes; a worker is spread over the schedulers by its place. */
async function deploy(schedulers: number): Promise<Deployment> {
  const database = await testDatabase()
  const pool = createPool({ connectionString: database.url, schema: 'scheduler', max: 4 })
  const version = { projectId: randomUUID(), workflow: 'replicated', version: 1 }
  const notAsked = async (): Promise<never> => {
    throw new Error('nobody asks for runs here')
  }
  const stubs = [
    createGrpcServer({
      ...{ service: 'workflow', logger: testLogger },
      auth: { kind: 'internal', identity: testService('workflow') },
      services: [
        {
          definition: workflowServiceDefinition,
          handlers: {
            getVersion: async ({ versionId }: { versionId: string }) => ({
              ...version,
              versionId,
              definitionJson: JSON.stringify(definition),
            }),
            createRun: notAsked,
            createRuns: notAsked,
          },
        },
      ],
    }),
    createGrpcServer({
      ...{ service: 'metadata', logger: testLogger },
      auth: { kind: 'internal', identity: testService('metadata') },
      services: [
        {
          definition: logServiceDefinition,
          handlers: { append: async ({ lines }: { lines: unknown[] }) => ({ accepted: lines.length }) },
        },
      ],
    }),
  ]
  const [workflowPort, metadataPort] = await Promise.all(stubs.map((stub) => stub.start('127.0.0.1', 0)))
  const ports = await Promise.all(Array.from({ length: schedulers * 3 }, () => freePort()))
  const shared = {
    DATABASE_URL: database.url,
    MILLRACE_SERVICE_HOST: '127.0.0.1',
    MILLRACE_IAM_GRPC: `127.0.0.1:${workflowPort}`,
    MILLRACE_WORKFLOW_GRPC: `127.0.0.1:${workflowPort}`,
  }
  const started = Array.from({ length: schedulers }, (_, i) =>
    start('scheduler', {
      ...shared,
      MILLRACE_SERVICE_HTTP_PORT: String(ports[3 * i]),
      MILLRACE_SERVICE_GRPC_PORT: String(ports[3 * i + 1]),
      MILLRACE_SERVICE_PUBLIC_GRPC_PORT: String(ports[3 * i + 2]),
      MILLRACE_LEASE_MS: '3000',
    }),
  )
  const workers = [0, 1].map((i) =>
    start('worker', {
      MILLRACE_SCHEDULER_PUBLIC_GRPC: `127.0.0.1:${ports[3 * (i % schedulers) + 2]}`,
      MILLRACE_METADATA_GRPC: `127.0.0.1:${metadataPort}`,
      MILLRACE_WORKER_NAME: `replica-worker-${i}`,
    }),
  )
  return {
    pool,
    schedulers: started,
    async close() {
      await Promise.all([...started, ...workers].map(end))
      await Promise.all(stubs.map((stub) => stub.stop(0)))
      await pool.end()
      await database.drop()
    },
  }
}

async function results(schedulers: number, runs: number, disturb?: (deployment: Deployment) => Promise<void>) {
  const deployment = await deploy(schedulers)
  const { pool } = deployment
  try {
    const ready = 'select 1 from sessions where state = $1 having count(*) = 2'
    await waitFor(async () => (await pool.query(ready, ['active']).catch(() => ({ rowCount: 0 }))).rowCount === 1, {
      timeoutMs: 90_000,
      what: 'schedulers and workers up',
    })
    const [projectId, workflowId, versionId] = [randomUUID(), randomUUID(), randomUUID()]
    for (let from = 0; from < runs; from += 50) {
      const events = Array.from({ length: 50 }, (_, i) => {
        const runId = randomUUID()
        const facts = { runId, projectId, workflowId, versionId, workflow: 'replicated', version: 1, priority: 5 }
        const input = { inputJson: JSON.stringify({ n: from + i }), labels: {}, requestedBy: 'user:test' }
        const time = { createdAt: new Date().toISOString(), hold: false, startAt: '' }
        return { topic: 'workflow.started' as const, key: runId, data: { ...facts, ...input, ...time } }
      })
      await appendEvents(pool, 'workflow', events)
      if (from === 100) await disturb?.(deployment)
    }
    const ended = `select count(*)::int as n from runs where status in ('succeeded', 'failed', 'cancelled')`
    await waitFor(async () => (await pool.query<{ n: number }>(ended)).rows[0]?.n === runs, {
      timeoutMs: 240_000,
      intervalMs: 300,
      what: 'every run ended',
    })
    const twice = `select key from events.log where topic = 'workflow.completed' group by key having count(*) <> 1`
    expect((await pool.query(twice)).rows).toEqual([])
    const { rows } = await pool.query(`select (input ->> 'n')::int as n, status, output,
      (select json_agg(json_build_object('key', t.key, 'status', t.status, 'attempt', t.attempt) order by t.ordinal)
        from tasks t where t.run_id = r.id) as tasks from runs r order by 1`)
    return rows
  } finally {
    await deployment.close()
  }
}

const runs = 150
let alone: unknown[] = []

test('one scheduler', { timeout: 400_000 }, async () => {
  alone = await results(1, runs)
  expect(alone).toHaveLength(runs)
})

test('two schedulers on one database give the same results as one', { timeout: 400_000 }, async () => {
  expect(await results(2, runs)).toEqual(alone)
})

test('so do three of which one is killed on the way', { timeout: 400_000 }, async () => {
  const killed = await results(3, runs, async ({ schedulers }) => {
    schedulers[2]?.kill('SIGKILL')
  })
  expect(killed).toEqual(alone)
})
