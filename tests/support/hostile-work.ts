import { AppError } from '@millrace/errors'
import { waitFor } from '@millrace/testkit'
import { type Client, uniqueName } from './client.js'
import type { HostileInput } from './hostile-inputs.js'
import { RemoteWorker } from './remote-worker.js'
import type { Page } from './shapes.js'
import { targetIsOwn } from './target.js'

const mib = 1024 * 1024
const many = <T>(count: number, make: (i: number) => T): T[] => Array.from({ length: count }, (_, i) => make(i))
const noop = { a: { uses: 'noop' } }

/** Until all runs of the workflow have ended: what an accepted request costs comes after its answer. */
async function ended(client: Client, workflow: string, runs: number): Promise<void> {
  const open = new Set(['queued', 'running', 'paused', 'cancelling'])
  const allEnded = async () => {
    const { items } = await client.get<Page<{ status: string; count: number }>>(
      `/api/v1/runs/counts?workflow=${workflow}`,
    )
    const count = (isCounted: (status: string) => boolean) =>
      items.filter(({ status }) => isCounted(status)).reduce((sum, item) => sum + item.count, 0)
    return count((status) => open.has(status)) === 0 && count(() => true) === runs
  }
  await waitFor(allEnded, { timeoutMs: 120_000, intervalMs: 250, what: `${runs} runs of ${workflow} ended` })
}

/** Requests that are accepted, each as large as it may be, and what they ask for is done. */
const accepted: HostileInput[] = [
  {
    name: 'a batch of a thousand runs with 8 kB each',
    expected: 202,
    async send(client) {
      const { name } = await client.createWorkflow({ name: uniqueName('hostile'), tasks: noop })
      const items = many(1_000, (i) => ({ input: { i, text: 'x'.repeat(8_000) } }))
      const reply = await client.call('POST', `/api/v1/workflows/${name}/runs/batch`, { body: { items } })
      await ended(client, name, items.length)
      return { status: reply.status }
    },
  },
  {
    name: 'a map of ten thousand items',
    expected: 202,
    async send(client) {
      const items = { uses: 'map', with: { items: '${{ input.items }}', task: { uses: 'noop' } } }
      const { name } = await client.createWorkflow({ name: uniqueName('hostile'), tasks: { items } })
      const body = { input: { items: many(10_000, (i) => i) } }
      const reply = await client.call<{ id: string }>('POST', `/api/v1/workflows/${name}/runs`, { body })
      await client.ended(reply.body.id, 120_000)
      return { status: reply.status }
    },
  },
  {
    name: 'a run of two thousand tasks at once',
    expected: 202,
    async send(client) {
      const tasks = Object.fromEntries(many(2_000, (i) => [`t${i}`, { uses: 'noop' }]))
      const { name } = await client.createWorkflow({ name: uniqueName('hostile'), tasks })
      const reply = await client.call<{ id: string }>('POST', `/api/v1/workflows/${name}/runs`, { body: {} })
      await client.ended(reply.body.id, 120_000)
      return { status: reply.status }
    },
  },
  {
    name: 'a backfill of a thousand ticks',
    expected: 202,
    async send(client) {
      const { name } = await client.createWorkflow({ name: uniqueName('hostile'), tasks: noop })
      const schedule = { workflow: name, cron: '* * * * *', paused: true }
      const { id } = await client.want<{ id: string }>(201, 'POST', '/api/v1/schedules', { body: schedule })
      const to = Date.UTC(2024, 0, 2)
      const body = { from: new Date(to - 999 * 60_000).toISOString(), to: new Date(to - 1).toISOString() }
      const reply = await client.call<{ count?: number }>('POST', `/api/v1/schedules/${id}/backfill`, { body })
      await ended(client, name, 999)
      return { status: reply.status }
    },
  },
  {
    name: 'a hook whose expression reads 200 kB',
    expected: 202,
    async send(client) {
      const { name } = await client.createWorkflow({ name: uniqueName('hostile'), tasks: noop })
      const hook = { input: '${{ {"all": body.list.map(x, string(x))} }}' }
      const path = `/api/v1/workflows/${name}/hooks`
      const { token } = await client.want<{ token: string }>(201, 'POST', path, { body: hook })
      const body = { list: many(9_000, (i) => `item number ${i}`) }
      const reply = await client.as(undefined).call('POST', `/api/v1/hooks/${token}`, { body })
      await ended(client, name, 1)
      return { status: reply.status }
    },
  },
]

const anonymous = (name: string, path: string, expected: number, body: object): HostileInput => ({
  name: `nobody in particular: ${name}`,
  expected,
  send: (client) => client.as(undefined).call('POST', path, { body }),
})

const long = 'a'.repeat(7 * mib)
/** Without a credential. */
const strangers: HostileInput[] = [
  anonymous('a long name', '/api/v1/auth/register', 422, { email: 'a@b.test', password: 'long enough', name: long }),
  anonymous('a long refresh token', '/api/v1/auth/refresh', 422, { refreshToken: long }),
  anonymous('a long one-time token', '/api/v1/auth/password/reset', 422, { token: long, new: 'long enough, too' }),
  anonymous('a hook that is none', '/api/v1/hooks/none', 404, { list: many(400_000, (i) => i) }),
]

/** By gRPC, with a key of role `worker`. */
const fromWorker = (
  name: string,
  expected: string,
  request: (worker: RemoteWorker, id: string) => Promise<unknown>,
): HostileInput => ({
  name: `a worker: ${name}`,
  expected,
  async send(client, { grpcAddress }) {
    const { key } = await client.createKey('worker')
    const worker = await new RemoteWorker(grpcAddress, key, uniqueName('hostile')).register('some.function')
    try {
      await request(worker, '00000000-0000-7000-8000-000000000000')
      return { status: 'ok' }
    } catch (error) {
      return { status: error instanceof AppError ? error.code : String(error) }
    } finally {
      await worker.close()
    }
  },
})

const result = (id: string, outputJson: string) => ({
  ...{ taskId: id, runId: id, leaseId: id, token: 1, outcome: 'OUTCOME_SUCCEEDED' as const, outputJson },
})
const line = (id: string, seq: number, message: string) => ({
  ...{ taskId: id, runId: id, projectId: id, key: 'a', attempt: 1, leaseId: id, seq, message },
  ...{ at: '2024-01-01T00:00:00.000Z', level: 'info', stream: 'stdout' },
})

const workers: HostileInput[] = [
  fromWorker('an output of 7 MiB of numbers', 'ok', ({ dispatch, session }, id) =>
    dispatch.reportResults({ session, results: [result(id, `[${'1,'.repeat(3.5 * mib)}1]`)], want: 0 }),
  ),
  fromWorker('fifty thousand results', 'too_large', ({ dispatch, session }, id) =>
    dispatch.reportResults({ session, results: many(50_000, () => result(id, '1')), want: 0 }),
  ),
  fromWorker('fifty thousand held leases', 'ok', ({ dispatch, session }, id) =>
    dispatch.heartbeat({ session, held: many(50_000, () => ({ taskId: id, leaseId: id })) }),
  ),
  fromWorker('twenty thousand log lines', 'too_large', ({ logs }, id) =>
    logs.append({ lines: many(20_000, (i) => line(id, i + 1, long.slice(0, 100))) }),
  ),
  fromWorker('one log line of 7 MiB', 'permission_denied', ({ logs }, id) =>
    logs.append({ lines: [line(id, 1, long)] }),
  ),
]

/** On a stack of two cores work that was accepted takes them from everybody: docs/security.md says how long. */
export const hostileWork: HostileInput[] = [...(targetIsOwn ? accepted : []), ...strangers, ...workers]
