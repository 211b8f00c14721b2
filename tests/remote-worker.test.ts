import { randomUUID } from 'node:crypto'
import { credentials, Client as GrpcChannel, Metadata } from '@grpc/grpc-js'
import { schedulerServiceDefinition } from '@millrace/contracts'
import { createGrpcClient } from '@millrace/grpc'
import { waitFor } from '@millrace/testkit'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type Account, newUser, uniqueName } from './support/client.js'
import { RemoteWorker } from './support/remote-worker.js'
import type { Job, LogLine, Page } from './support/shapes.js'
import { collect, readEvents, readLines } from './support/streams.js'
import { startTarget, type Target } from './support/target.js'

let target: Target
let account: Account
let workers: RemoteWorker[] = []

beforeAll(async () => {
  target = await startTarget({ MILLRACE_LEASE_MS: '2000' })
}, 120_000)

beforeEach(async () => {
  account = await newUser(target)
})

afterEach(async () => {
  await Promise.all(workers.map((worker) => worker.close()))
  workers = []
})

afterAll(() => target?.close())

async function workerOf({ client }: Account, role = 'worker'): Promise<RemoteWorker> {
  const { key } = await client.createKey(role)
  const worker = new RemoteWorker(target.grpcAddress, key, uniqueName('worker'))
  workers.push(worker)
  return worker
}

const slow = { timeoutMs: 60_000 }
const count = (seen: readonly unknown[], message: string): number =>
  seen.filter((data) => (data as { progress?: { message?: string } }).progress?.message === message).length

function scheduler(bearer?: string) {
  return createGrpcClient(schedulerServiceDefinition, target.grpcAddress, bearer === undefined ? {} : { bearer })
}

describe('a worker of the project', () => {
  test('says how far it is, in the run and to those who watch, until the attempt ends', async () => {
    const worker = await (await workerOf(account)).register('copy.files')
    const other = await (await workerOf(account)).register('copy.none')
    const { id } = await account.client.runTasks({ copy: { uses: 'copy.files' } }, { labels: { team: 'shop' } })
    const leases = await waitFor(async () => {
      const found = await worker.lease(2_000)
      return found.length > 0 ? found : undefined
    })
    const [lease] = leases
    if (lease === undefined) throw new Error('no lease')
    const abort = new AbortController()
    const seen: unknown[] = []
    const paths = ['/api/v1/events?types=task', `/api/v1/runs/${id}/events`]
    const watchers = await Promise.all(paths.map((path) => account.client.open('GET', path, { signal: abort.signal })))
    const reading = watchers.map(async (response) => {
      for await (const { event, data } of readEvents(response)) if (event === 'task') seen.push(data)
    })
    const report = (who: RemoteWorker, progress: object) =>
      who.dispatch.heartbeat({
        session: who.session,
        held: [{ taskId: lease.taskId, leaseId: lease.leaseId, progress }],
      })
    const progressOf = async () => (await account.client.run(id)).tasks[0]
    try {
      await report(worker, { percent: 40.5, message: 'a.csv' })
      expect(await progressOf()).toMatchObject({ progress: { percent: 40.5, message: 'a.csv' } })
      // Another session does not hold the lease; what makes no sense is put right.
      await report(other, { percent: 1, message: 'not mine' })
      await report(worker, { percent: 900, message: `\0${'x'.repeat(2_000)}` })
      const shown = (await progressOf()) as unknown as { progress: { percent: number; message: string } }
      expect(shown.progress.percent).toBe(100)
      expect(shown.progress.message.length).toBeLessThanOrEqual(500)
      await report(worker, { message: 'nearly' })
      await waitFor(() => count(seen, 'nearly') === paths.length)
      await worker.succeed(lease, 1)
      await account.client.ended(id)
      expect(await progressOf()).not.toHaveProperty('progress')
    } finally {
      abort.abort()
      await Promise.allSettled(reading)
    }
    const found = await waitFor(async () => {
      const page = await account.client.get<Page<Job>>('/api/v1/jobs?label=team%3Dshop&status=succeeded')
      return page.items.length > 0 ? page.items : undefined
    }, slow)
    expect(found).toMatchObject([{ runId: id, labels: { team: 'shop' } }])
    expect((await account.client.get<Page<Job>>('/api/v1/jobs?label=team%3Dother')).items).toEqual([])
    expect((await account.client.call('GET', '/api/v1/jobs?label=team')).status).toBe(422)
  })

  test('executes its function: lease, logs, result', async () => {
    const worker = await (await workerOf(account)).register('payments.charge')
    const { id } = await account.client.runTasks(
      {
        charge: { uses: 'payments.charge', with: { amount: '${{ input.amount }}', key: '${{ task.idempotencyKey }}' } },
        after: { needs: ['charge'], uses: 'transform', with: { value: '${{ tasks.charge.output.receipt }}' } },
      },
      { input: { amount: 12.5 } },
    )
    const [lease] = await waitFor(async () => {
      const leases = await worker.lease(2_000)
      return leases.length > 0 ? leases : undefined
    })
    expect(lease).toMatchObject({
      runId: id,
      key: 'charge',
      uses: 'payments.charge',
      attempt: 1,
      projectId: account.project.id,
    })
    if (!lease) throw new Error('no lease')
    expect(JSON.parse(lease.inputJson)).toEqual({ amount: 12.5, key: lease.idempotencyKey })
    expect(await worker.log(lease, 'asking the bank', 'the bank agreed')).toBe(2)
    await worker.log(lease, 'asking the bank', 'the bank agreed')
    expect(await worker.succeed(lease, { receipt: 'R-1' })).toEqual(['VERDICT_ACCEPTED'])
    await worker.succeed(lease, { receipt: 'another' })
    const run = await account.client.ended(id)
    expect(run.tasks).toMatchObject([
      { key: 'charge', status: 'succeeded', output: { receipt: 'R-1' }, workerId: worker.workerId },
      { key: 'after', status: 'succeeded', output: 'R-1' },
    ])
    const lines = await waitFor(async () => {
      const read = await collect(
        readLines<LogLine>(await account.client.open('GET', `/api/v1/jobs/${run.tasks[0]?.jobId}/logs`)),
      )
      return read.length > 0 ? read : undefined
    })
    expect(lines.map(({ message }) => message)).toEqual(['asking the bank', 'the bank agreed'])
  })

  test('that vanishes loses its lease, and the work goes to another; the late result changes nothing', async () => {
    const first = await (await workerOf(account)).register('shared.job')
    const { id } = await account.client.runTasks({ job: { uses: 'shared.job' } })
    const [lost] = await waitFor(async () => {
      const leases = await first.lease(2_000)
      return leases.length > 0 ? leases : undefined
    })
    if (!lost) throw new Error('no lease')
    await first.log(lost, 'the first began')
    first.vanish()
    const second = await (await workerOf(account)).register('shared.job')
    second.work(async (lease) => {
      await second.log(lease, 'the second began', 'the second ended')
      return { by: 'second' }
    })
    const run = await account.client.ended(id)
    expect(run.tasks[0]).toMatchObject({
      status: 'succeeded',
      output: { by: 'second' },
      workerId: second.workerId,
      attempt: 1,
    })
    const logs = await account.client.open('GET', `/api/v1/jobs/${run.tasks[0]?.jobId}/logs`)
    const messages = (await collect(readLines<LogLine>(logs))).map(({ message }) => message)
    expect(messages).toEqual(['the first began', 'the second began', 'the second ended'])
    const job = await waitFor(async () => {
      const found = await account.client.get<Job>(`/api/v1/jobs/${run.tasks[0]?.jobId}`)
      return found.attempts.at(-1)?.status === 'succeeded' ? found : undefined
    })
    expect(job.attempts).toMatchObject([
      { attempt: 1, status: 'lost_worker', workerId: first.workerId, error: { class: 'lost_worker' } },
      { attempt: 1, status: 'succeeded', workerId: second.workerId, error: null },
    ])
    const [lostAttempt, next] = job.attempts
    expect(lostAttempt?.finishedAt).toBeTruthy()
    expect(Date.parse(lostAttempt?.finishedAt ?? '')).toBeLessThanOrEqual(Date.parse(next?.startedAt ?? ''))
    expect(await first.succeed(lost, { by: 'first' }).catch(() => ['VERDICT_STALE'])).toEqual(['VERDICT_STALE'])
    expect((await account.client.run(id)).tasks[0]?.output).toEqual({ by: 'second' })
  })

  test("never sees another project's work, nor its logs", async () => {
    const stranger = await newUser(target)
    const spy = await (await workerOf(stranger)).register('secret.job')
    const { id } = await account.client.runTasks({ job: { uses: 'secret.job', with: { password: 'hidden' } } })
    await account.client.runUntil(id, 'waits', (run) => run.tasks[0]?.status === 'queued')
    expect(await spy.lease(1_500)).toEqual([])
    const own = await (await workerOf(account)).register('secret.job')
    const [lease] = await waitFor(async () => {
      const leases = await own.lease(2_000)
      return leases.length > 0 ? leases : undefined
    })
    if (!lease) throw new Error('no lease')
    // The lease's own id is the proof; all else about a task may be known.
    const guess = { ...lease, leaseId: randomUUID() }
    expect(await spy.succeed(guess, 'stolen').catch(() => ['refused'])).not.toContain('VERDICT_ACCEPTED')
    expect(await spy.log(lease, 'planted').catch(() => 0)).toBe(0)
    await own.succeed(lease, 'mine')
    expect((await account.client.ended(id)).tasks[0]?.output).toBe('mine')
    const lines = await collect(readLines<LogLine>(await account.client.open('GET', `/api/v1/runs/${id}/logs`)))
    expect(lines.map(({ message }) => message)).not.toContain('planted')
  })

  test.each(['noop', 'http', 'map', 'shell', 'approval'])('cannot take the built-in name %s', async (name) => {
    const worker = await workerOf(account)
    await expect(worker.register(name)).rejects.toMatchObject({ reason: expect.any(String) })
  })

  test.each(['viewer', 'operator', 'editor', 'owner'])('needs a key of role worker: %s is refused', async (role) => {
    const worker = await workerOf(account, role)
    await expect(worker.register('any.job')).rejects.toMatchObject({ code: 'permission_denied' })
  })

  test('needs its own session', async () => {
    const one = await (await workerOf(account)).register('own.job')
    const other = await (await workerOf(account)).register('own.job')
    other.session = { id: one.session.id, secret: other.session.secret }
    await expect(other.lease(100)).rejects.toMatchObject({ reason: expect.any(String) })
  })
})

describe('a key', () => {
  test('alone uses the sessions it registered, and takes them with it when it is revoked', async () => {
    const { id: keyId, key } = await account.client.createKey('worker')
    const worker = new RemoteWorker(target.grpcAddress, key, uniqueName('worker'))
    workers.push(worker)
    await worker.register('bound.job')
    const { id } = await account.client.runTasks({ job: { uses: 'bound.job' } })
    const [lease] = await waitFor(async () => {
      const leases = await worker.lease(2_000)
      return leases.length > 0 ? leases : undefined
    })
    if (!lease) throw new Error('no lease')
    const thief = await workerOf(account)
    thief.session = worker.session
    const refused = { code: 'permission_denied', reason: 'session_not_owned' }
    await expect(thief.lease(100)).rejects.toMatchObject(refused)
    await expect(thief.succeed(lease, 'forged')).rejects.toMatchObject(refused)

    await account.client.want(204, 'DELETE', `/api/v1/api-keys/${keyId}`)
    const other = await (await workerOf(account)).register('bound.job')
    const [again] = await waitFor(
      async () => {
        const leases = await other.lease(1_000)
        return leases.length > 0 ? leases : undefined
      },
      { timeoutMs: 5_000 },
    )
    expect(again).toMatchObject({ taskId: lease.taskId, attempt: 1 })
    // A replica that asked about the key a moment before still knows that its session has ended.
    const over = expect.stringMatching(/invalid_token|session_ended/)
    await expect(worker.succeed(lease, 'late')).rejects.toMatchObject({ reason: over })
    await expect(thief.succeed(lease, 'late')).rejects.toMatchObject({ reason: 'session_ended' })
    if (again) await other.succeed(again, 'good')
    expect((await account.client.ended(id)).tasks[0]?.output).toBe('good')
  })
})

describe('the public scheduler', () => {
  test('tells and shows a run to a key of its project alone', async () => {
    const { id } = await account.client.runTasks({
      a: { uses: 'sleep', with: { duration: '1s' } },
      b: { uses: 'noop', needs: ['a'] },
    })
    const { key } = await account.client.createKey('viewer')
    const own = scheduler(key)
    const foreign = scheduler((await (await newUser(target)).client.createKey('owner')).key)
    const nobody = scheduler()
    try {
      const found = await waitFor(() => own.getRun({ runId: id }).catch(() => undefined))
      expect(found).toMatchObject({ run: { id, workflow: expect.any(String) }, tasks: [{ key: 'a' }, { key: 'b' }] })
      const changes = await collect(own.watchRun({ runId: id }))
      expect(changes[0]?.snapshot?.run?.id).toBe(id)
      const last = changes.at(-1)
      expect(last?.run?.status ?? last?.snapshot?.run?.status).toBe('succeeded')
      expect((await own.listTasks({ runId: id, limit: 10 })).tasks.map((one) => one.status)).toEqual([
        'succeeded',
        'succeeded',
      ])
      expect(await own.explainRun({ runId: id })).toMatchObject({ blockers: [] })
      await expect(foreign.getRun({ runId: id })).rejects.toMatchObject({ code: 'not_found' })
      await expect(collect(foreign.watchRun({ runId: id }))).rejects.toMatchObject({ code: 'not_found' })
      await expect(own.getRun({ runId: id, projectId: 'x' }).then(({ run }) => run?.id)).resolves.toBe(id)
      await expect(foreign.getRun({ runId: id, projectId: account.project.id })).rejects.toMatchObject({
        code: 'not_found',
      })
      await expect(nobody.getRun({ runId: id })).rejects.toMatchObject({ code: 'unauthenticated' })
      await expect(scheduler('mr_forged').getRun({ runId: id })).rejects.toMatchObject({ code: 'unauthenticated' })
      for (const runId of ['', 'x', '\u0000']) {
        await expect(own.getRun({ runId })).rejects.toMatchObject({
          code: expect.stringMatching(/not_found|malformed|unprocessable/),
        })
      }
    } finally {
      for (const client of [own, foreign, nobody]) client.close()
    }
  })

  const call = (path: string, request: Buffer): Promise<{ status: number; reply?: Buffer }> => {
    const channel = new GrpcChannel(target.grpcAddress, credentials.createInsecure())
    const identity = (value: Buffer) => value
    return new Promise((resolve) => {
      channel.makeUnaryRequest(
        path,
        identity,
        identity,
        request,
        new Metadata(),
        { deadline: Date.now() + 5_000 },
        (error, reply) => {
          channel.close()
          resolve({ status: error?.code ?? 0, ...(reply ? { reply } : {}) })
        },
      )
    })
  }

  test('is healthy', async () => {
    const { status, reply } = await call('/grpc.health.v1.Health/Check', Buffer.alloc(0))
    expect({ status, reply }).toEqual({ status: 0, reply: Buffer.from([0x08, 0x01]) })
  })

  test('describes itself by reflection', async () => {
    const channel = new GrpcChannel(target.grpcAddress, credentials.createInsecure())
    const identity = (value: Buffer) => value
    const names = await new Promise<string>((resolve, reject) => {
      const path = '/grpc.reflection.v1.ServerReflection/ServerReflectionInfo'
      const stream = channel.makeBidiStreamRequest(path, identity, identity, new Metadata(), {
        deadline: Date.now() + 5_000,
      })
      stream.on('data', (reply: Buffer) => {
        resolve(reply.toString('latin1'))
        stream.cancel()
      })
      stream.on('error', reject)
      // list_services = 7, an empty string
      stream.write(Buffer.from([0x3a, 0x00]))
    })
    channel.close()
    for (const name of ['scheduler.v1.SchedulerService', 'scheduler.v1.DispatchService', 'metadata.v1.LogService']) {
      expect(names).toContain(`millrace.${name}`)
    }
    expect(names).not.toContain('SchedulerInternalService')
  })

  test('hides the internal services', async () => {
    for (const path of [
      '/millrace.scheduler.v1.SchedulerInternalService/GetRun',
      '/millrace.iam.v1.IamService/ValidateToken',
      '/envoy.service.auth.v3.Authorization/Check',
      '/millrace.workflow.v1.WorkflowService/CreateRun',
      '/millrace.worker.v1.WorkerService/Drain',
      '/no.such.Service/Method',
    ]) {
      expect([12, 16, 5], path).toContain((await call(path, Buffer.alloc(0))).status)
    }
  })
})
