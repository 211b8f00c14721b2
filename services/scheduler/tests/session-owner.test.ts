import {
  dispatchDefinition,
  type scheduler,
  schedulerInternalDefinition,
  schedulerServiceDefinition,
} from '@millrace/contracts'
import { createGrpcClient, type GrpcClient } from '@millrace/grpc'
import type { ServiceName } from '@millrace/identity'
import { testService, waitFor } from '@millrace/testkit'
import { v7 } from 'uuid'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import type { SchedulerService } from '../src/server.js'
import { Harness, projectId, resultOf } from './support/harness.js'
import { dispatchAs, TestIam } from './support/test-iam.js'

type Client = GrpcClient<typeof dispatchDefinition>
type Session = { id: string; secret: string }

/** Two replicas on one database, and workers with keys of their own. */
describe('a worker session belongs to the credential that registered it', () => {
  const iam = new TestIam()
  const clients: Client[] = []
  let harness: Harness
  let here: SchedulerService
  let there: SchedulerService
  beforeAll(async () => {
    // Nobody beats here: only a revocation may end a session.
    harness = await Harness.start({}, 120_000, () => ({ iam: iam.client }))
    here = harness.service
    there = await harness.startScheduler({}, 120_000, { iam: iam.client })
  })
  afterAll(async () => {
    for (const client of clients) client.close()
    await harness?.stop()
  })

  function as(token: string, service = here): Client {
    const client = dispatchAs(service, token)
    clients.push(client)
    return client
  }

  async function register(token: string, executor: string): Promise<Session> {
    const request = { name: 'hand', executors: [executor], queues: [], concurrency: 10 }
    const answer = await as(token).register(request)
    return { id: answer.sessionId, secret: answer.sessionSecret }
  }

  const leaseOne = (client: Client, session: Session): Promise<scheduler.Lease__Output> =>
    waitFor(async () => (await client.leaseTasks({ session, max: 1, waitMs: 1000 })).leases[0])

  const firstCommand = async (client: Client, session: Session): Promise<unknown> => {
    for await (const command of client.commands({ session })) return command
    return undefined
  }

  const methods: Record<
    string,
    (client: Client, session: Session, lease: scheduler.Lease__Output) => Promise<unknown>
  > = {
    LeaseTasks: (client, session) => client.leaseTasks({ session, max: 1, waitMs: 0 }),
    Heartbeat: (client, session) => client.heartbeat({ session, held: [] }),
    Commands: firstCommand,
    ReportResults: (client, session, lease) =>
      client.reportResults({ session, results: [resultOf(lease, { output: 'forged' })], want: 1 }),
    Deregister: (client, session) => client.deregister({ session }),
    'Work, a lease': (client, session) => onStream(client, { lease: { session, max: 1, waitMs: 0 } }),
    'Work, a report': (client, session, lease) =>
      onStream(client, { report: { session, results: [resultOf(lease, { output: 'forged' })], want: 1 } }),
  }

  test('every method refuses any other credential, on either replica, and the owner goes on', async () => {
    const owner = iam.key(projectId)
    const session = await register(owner, 'own.a')
    const runId = await harness.one(harness.define({ tasks: { a: { uses: 'own.a' } } }))
    const lease = await leaseOne(as(owner), session)
    const strangers = [iam.key(projectId), iam.key(v7())]
    for (const service of [here, there]) {
      const callers = [...strangers.map((token) => as(token, service)), harness.dispatch(service)]
      for (const [name, call] of Object.entries(methods)) {
        for (const caller of callers) {
          await expect(call(caller, session, lease), name).rejects.toMatchObject({
            code: 'permission_denied',
            reason: 'session_not_owned',
          })
        }
      }
      const person = as(iam.key(projectId, 'owner'), service)
      await expect(methods.Heartbeat?.(person, session, lease)).rejects.toMatchObject({ code: 'permission_denied' })
    }
    const reply = await as(owner, there).reportResults({ session, results: [resultOf(lease, { output: 'good' })] })
    expect(reply.verdicts).toEqual(['VERDICT_ACCEPTED'])
    expect((await harness.ended(runId)).tasks[0]?.outputJson).toBe('"good"')
  })

  test('a credential that may not is in the audit log of its project', async () => {
    const session = await register(iam.key(projectId), 'own.audited')
    const elsewhere = v7()
    await expect(methods.LeaseTasks?.(as(iam.key(elsewhere)), session, {} as never)).rejects.toThrow()
    await expect(register(iam.key(elsewhere, 'viewer'), 'own.audited')).rejects.toThrow()
    const entries = await waitFor(async () => {
      const found = await harness.events('audit.recorded', elsewhere)
      return found.length >= 2 ? found : undefined
    })
    const common = { action: 'access.denied', outcome: 'denied', projectId: elsewhere, ip: '127.0.0.1' }
    expect(entries).toMatchObject([
      { ...common, role: 'worker', target: 'DispatchService/LeaseTasks:session_not_owned' },
      { ...common, role: 'viewer', target: expect.stringMatching(/^DispatchService\/Register:/) },
    ])
  })

  test('a revoked key ends its sessions within five seconds: tasks go back, no attempt and no loss is counted', async () => {
    const owner = iam.key(projectId)
    const session = await register(owner, 'own.b')
    const runId = await harness.one(harness.define({ tasks: { a: { uses: 'own.b' } } }))
    const client = as(owner)
    const lease = await leaseOne(client, session)
    // Open on both replicas when the key is revoked.
    const polls = [client, as(owner, there)].map((each) => each.leaseTasks({ session, max: 5, waitMs: 25_000 }))
    const stream = readAll(as(owner, there), session)
    await waitFor(() => stream.heard > 0)
    const work = new Promise<unknown>((resolve) =>
      as(owner, there).work({ onMessage: () => undefined, onEnd: resolve }),
    )

    iam.revoke(owner)
    const revokedAt = Date.now()
    const task = async () => (await harness.run(runId)).tasks[0]
    await waitFor(async () => (await task())?.status === 'queued')
    const answers = await Promise.all(
      polls.map((poll) =>
        poll.then(
          ({ leases }) => leases.length,
          () => 0,
        ),
      ),
    )
    await stream.ended
    expect(await work).toMatchObject({ code: 'unauthenticated' })
    expect(Date.now() - revokedAt).toBeLessThan(5000)
    expect(answers).toEqual([0, 0])
    const { rows } = await harness.pool.query('select attempt, losses from tasks where id = $1', [lease.taskId])
    expect(rows).toEqual([{ attempt: 1, losses: 0 }])
    expect((await harness.pool.query('select state from sessions where id = $1', [session.id])).rows).toEqual([
      { state: 'ended' },
    ])

    const stranger = iam.key(projectId)
    for (const service of [here, there]) {
      for (const [name, call] of Object.entries(methods)) {
        await expect(call(as(owner, service), session, lease), name).rejects.toMatchObject({ code: 'unauthenticated' })
        await expect(call(as(stranger, service), session, lease), name).rejects.toMatchObject({
          reason: 'session_ended',
        })
      }
    }
    // The result of the ended session's lease is refused from a session of another key, too.
    const fresh = await register(stranger, 'own.b')
    const again = await leaseOne(as(stranger), fresh)
    const forged = await as(stranger).reportResults({ session: fresh, results: [resultOf(lease, { output: 'late' })] })
    expect(forged.verdicts).toEqual(['VERDICT_STALE'])
    expect(again).toMatchObject({ taskId: lease.taskId, attempt: 1 })
    await as(stranger).reportResults({ session: fresh, results: [resultOf(again, { output: 'good' })] })
    expect((await harness.ended(runId)).tasks[0]?.outputJson).toBe('"good"')
  })

  test('a session lives on while iam cannot say anything about its key', async () => {
    const owner = iam.key(projectId)
    const session = await register(owner, 'own.c')
    iam.down = true
    iam.revoke(owner)
    try {
      await expect(as(owner).heartbeat({ session })).rejects.toMatchObject({ code: 'unavailable' })
    } finally {
      iam.down = false
    }
    const state = async () => (await harness.pool.query('select state from sessions where id = $1', [session.id])).rows
    await waitFor(async () => (await state())[0]?.state === 'ended')
  })

  test('a file is opened only by the credential of the session that holds the lease', async () => {
    const owner = iam.key(projectId)
    const session = await register(owner, 'own.d')
    const runId = await harness.one(harness.define({ tasks: { a: { uses: 'own.d' } } }))
    await leaseOne(as(owner), session)
    const { rows } = await harness.pool.query('select owner from sessions where id = $1', [session.id])
    const address = `127.0.0.1:${harness.service.grpcPort}`
    const artifact = createGrpcClient(schedulerInternalDefinition, address, { serviceToken: tokenOf('artifact') })
    onTestFinished(() => artifact.close())
    const holds = async (subject: string) =>
      (await artifact.holdsLease({ sessionId: session.id, runId, subject })).holds
    expect(await holds(rows[0].owner)).toBe(true)
    expect(await holds(`key:${v7()}`)).toBe(false)
    expect(await holds('')).toBe(false)
  })

  test('the built-in worker reads no runs, and no other service acts as a worker', async () => {
    const runId = await harness.one(harness.define({ tasks: { a: { uses: 'own.e' } } }))
    await waitFor(() => harness.run(runId))
    const address = `127.0.0.1:${here.publicGrpcPort}`
    const worker = createGrpcClient(schedulerServiceDefinition, address, { serviceToken: tokenOf('worker') })
    const other = createGrpcClient(dispatchDefinition, address, { serviceToken: tokenOf('metadata') })
    try {
      await expect(worker.getRun({ runId, projectId })).rejects.toMatchObject({ code: 'permission_denied' })
      await expect(
        other.register({ name: 'hand', executors: ['own.e'], queues: [], concurrency: 1 }),
      ).rejects.toMatchObject({ code: 'permission_denied' })
    } finally {
      worker.close()
      other.close()
    }
  })

  const tokenOf = (service: ServiceName) => () => testService(service).tokenFor('scheduler')

  /** One message on a stream of its own: what it is answered, or the failure of the message or the stream. */
  const onStream = (client: Client, message: scheduler.WorkRequest): Promise<unknown> =>
    new Promise((resolve, reject) => {
      const stream = client.work({
        onMessage: (answer) => {
          if (answer.failure) reject(answer.failure)
          else resolve(answer)
          stream.end()
        },
        onEnd: (error) => reject(error ?? new Error('it ended without an answer')),
      })
      stream.write({ id: 7, timeoutMs: 5_000, ...message })
    })

  /** Reads commands until the server ends the stream. */
  function readAll(client: Client, session: Session) {
    const state = { heard: 0, ended: Promise.resolve() }
    state.ended = (async () => {
      for await (const _command of client.commands({ session })) state.heard += 1
    })().catch(() => undefined)
    return state
  }
})
