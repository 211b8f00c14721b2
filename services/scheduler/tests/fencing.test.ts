import type { scheduler } from '@millrace/contracts'
import { withTransaction } from '@millrace/postgres'
import { waitFor } from '@millrace/testkit'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { recordLiveness } from '../src/db/sessions.js'
import { Harness, projectId, resultOf, TestWorker } from './support/harness.js'

type Client = ReturnType<Harness['dispatch']>
type Session = { id: string; secret: string }

describe('leases and fencing', () => {
  let harness: Harness
  let client: Client
  beforeAll(async () => {
    harness = await Harness.start({}, 2000)
    client = harness.dispatch()
  })
  afterAll(() => harness?.stop())

  async function register(executor: string): Promise<Session> {
    const answer = await client.register({ name: 'hand', executors: [executor], queues: [], concurrency: 10 })
    return { id: answer.sessionId, secret: answer.sessionSecret }
  }

  async function lease(session: Session, max = 1): Promise<scheduler.Lease__Output[]> {
    return waitFor(async () => {
      const { leases } = await client.leaseTasks({ session, max, waitMs: 2000 })
      if (leases.length === 0) throw new Error('nothing leased')
      return leases
    })
  }

  async function leaseOne(session: Session): Promise<scheduler.Lease__Output> {
    const [first] = await lease(session)
    if (!first) throw new Error('nothing leased')
    return first
  }

  const beat = (session: Session, held: scheduler.Lease__Output[] = []) =>
    client.heartbeat({ session, held: held.map(({ taskId, leaseId }) => ({ taskId, leaseId })) })

  test('a silent worker loses its task, another gets it, and the late report changes nothing', async () => {
    const runId = await harness.one(harness.define({ tasks: { a: { uses: 'fence.a' } } }))
    const dead = await register('fence.a')
    const first = await leaseOne(dead)
    const alive = await register('fence.a')
    // Unnamed in two beats, a lease goes back: on a slow machine what follows takes longer than those.
    const held: scheduler.Lease__Output[] = []
    const beating = setInterval(() => void beat(alive, held).catch(() => undefined), 250)
    try {
      const second = await leaseOne(alive)
      held.push(second)
      expect(second).toMatchObject({ taskId: first.taskId, attempt: 1, idempotencyKey: first.idempotencyKey })
      expect(second.token).toBeGreaterThan(first.token)
      await expect(
        client.reportResults({ session: dead, results: [resultOf(first, { output: 'late' })] }),
      ).rejects.toMatchObject({ reason: 'session_ended' })
      const forged = await client.reportResults({ session: alive, results: [resultOf(first, { output: 'late' })] })
      const stranger = await register('fence.a')
      const { taskId, leaseId, token } = second
      const stolen = await client.reportResults({
        session: stranger,
        results: [
          resultOf(second, { output: 'stolen' }),
          { taskId, runId, leaseId, token, outcome: 'OUTCOME_HANDED_BACK' },
        ],
      })
      expect(stolen.verdicts).toEqual(['VERDICT_STALE', 'VERDICT_STALE'])
      expect(forged.verdicts).toEqual(['VERDICT_STALE'])
      expect((await harness.run(runId)).tasks[0]?.status).toBe('running')
      const reply = await client.reportResults({ session: alive, results: [resultOf(second, { output: 'good' })] })
      expect(reply.verdicts).toEqual(['VERDICT_ACCEPTED'])
    } finally {
      clearInterval(beating)
    }
    const { tasks } = await harness.ended(runId)
    expect(tasks[0]).toMatchObject({ outputJson: '"good"', attempt: 1 })
    expect(await harness.events('workflow.completed', runId)).toHaveLength(1)
  })

  test('a repeated report is accepted and changes nothing', async () => {
    const runId = await harness.one(harness.define({ tasks: { a: { uses: 'fence.b' } } }))
    const session = await register('fence.b')
    const held = await leaseOne(session)
    const results = [resultOf(held, { output: 1 })]
    const [one, two] = await Promise.all([
      client.reportResults({ session, results }),
      client.reportResults({ session, results }),
    ])
    const third = await client.reportResults({ session, results })
    expect([one.verdicts, two.verdicts, third.verdicts]).toEqual(Array(3).fill(['VERDICT_ACCEPTED']))
    await harness.ended(runId)
    expect(await harness.events('task.updated', runId)).toHaveLength(2 + (await queuedFirst(runId)))
    expect(await harness.events('workflow.completed', runId)).toHaveLength(1)
  })

  const queuedFirst = async (runId: string) =>
    (await harness.events('task.updated', runId)).filter((event) => event.status === 'queued').length

  test('a report with a wrong token or lease is stale', async () => {
    const runId = await harness.one(harness.define({ tasks: { a: { uses: 'fence.c' } } }))
    const session = await register('fence.c')
    const held = await leaseOne(session)
    const wrongToken = { ...resultOf(held, {}), token: held.token + 1 }
    const wrongLease = { ...resultOf(held, {}), leaseId: runId }
    const nonsense = { ...resultOf(held, {}), taskId: 'x' }
    const reply = await client.reportResults({ session, results: [wrongToken, wrongLease, nonsense] })
    expect(reply.verdicts).toEqual(['VERDICT_STALE', 'VERDICT_STALE', 'VERDICT_STALE'])
    expect((await harness.run(runId)).tasks[0]?.status).toBe('running')
    await client.reportResults({ session, results: [resultOf(held, {})] })
    expect((await harness.ended(runId)).run?.status).toBe('succeeded')
  })

  test('of a batch of fifty runs of which one is stale, that one leaves no row anywhere', async () => {
    const versionId = harness.define({ tasks: { a: { uses: 'fence.d' }, b: { needs: ['a'], uses: 'fence.d2' } } })
    const ids = await harness.request(versionId, 50)
    const session = await register('fence.d')
    const leases: scheduler.Lease__Output[] = []
    while (leases.length < 50) {
      leases.push(...(await lease(session, 50 - leases.length)))
      await beat(session, leases)
    }
    const stale = leases[17]
    if (!stale) throw new Error('fifty leases')
    // Another replica fences the lease meanwhile: this one's cache knows nothing of it.
    await harness.pool.query(`update tasks set token = token + 1, lease_id = null, rev = rev + 1 where id = $1`, [
      stale.taskId,
    ])
    const before = await rowsOf(stale.runId)
    const reply = await client.reportResults({ session, results: leases.map((held) => resultOf(held, { output: 1 })) })
    expect(reply.verdicts.filter((verdict) => verdict === 'VERDICT_STALE')).toHaveLength(1)
    expect(reply.verdicts[17]).toBe('VERDICT_STALE')
    expect(await rowsOf(stale.runId)).toEqual(before)
    for (const id of ids.filter((id) => id !== stale.runId)) {
      expect((await harness.run(id)).tasks.map((task) => task.status)).toEqual(['succeeded', 'queued'])
    }
  })

  async function rowsOf(runId: string) {
    const read = async (sql: string) => (await harness.pool.query(sql, [runId])).rows
    return {
      run: await read('select * from runs where id = $1'),
      tasks: await read('select * from tasks where run_id = $1 order by ordinal'),
      payloads: await read('select p.* from task_payloads p join tasks t on t.id = p.task_id where t.run_id = $1'),
      queue: await read('select * from task_queue where run_id = $1'),
      timers: await read('select * from timers where run_id = $1'),
      events: await read('select id from events.log where key = $1::text order by id'),
    }
  }

  test('a handed-back lease is given out again and counts as nothing', async () => {
    const runId = await harness.one(harness.define({ tasks: { a: { uses: 'fence.e' } } }))
    const session = await register('fence.e')
    const held = await leaseOne(session)
    const { taskId, leaseId, token } = held
    await client.reportResults({
      session,
      results: [{ taskId, runId, leaseId, token, outcome: 'OUTCOME_HANDED_BACK' }],
    })
    const again = await leaseOne(session)
    expect(again).toMatchObject({ taskId, attempt: 1 })
    expect(again.leaseId).not.toBe(leaseId)
    await client.reportResults({ session, results: [resultOf(again, {})] })
    expect((await harness.ended(runId)).run?.status).toBe('succeeded')
  })

  test('a lease that its worker never names goes back to the queue', async () => {
    await harness.one(harness.define({ tasks: { a: { uses: 'fence.f' } } }))
    const session = await register('fence.f')
    const held = await leaseOne(session)
    for (let i = 0; i < 4; i += 1) await beat(session)
    const again = await leaseOne(session)
    expect(again).toMatchObject({ taskId: held.taskId, attempt: 1 })
    expect((await beat(session, [held, again])).lostLeaseIds).toEqual([held.leaseId])
  })

  test('a session secret that is wrong is refused', async () => {
    const session = await register('fence.g')
    await expect(beat({ ...session, secret: 'x' })).rejects.toMatchObject({ code: 'unauthenticated' })
    await expect(beat({ id: 'nonsense', secret: 'x' })).rejects.toMatchObject({ reason: 'session_ended' })
  })

  test('a worker lost six times fails the task with that class', async () => {
    const runId = await harness.one(harness.define({ tasks: { a: { uses: 'fence.h' } } }))
    await waitFor(() => harness.run(runId))
    await harness.pool.query(`update tasks set losses = 5 where run_id = $1`, [runId])
    const dead = await register('fence.h')
    await leaseOne(dead)
    const { run, tasks } = await harness.ended(runId)
    expect(run?.status).toBe('failed')
    expect(tasks[0]).toMatchObject({ status: 'failed', error: { class: 'lost_worker' } })
  })

  test('an attempt that its worker does not end in time is ended by the engine', async () => {
    const runId = await harness.one(
      harness.define({ tasks: { a: { uses: 'fence.i', timeout: '100ms', retry: { maxAttempts: 1 } } } }),
    )
    const session = await register('fence.i')
    const held = await leaseOne(session)
    const beating = setInterval(() => void beat(session, [held]).catch(() => undefined), 250)
    try {
      const { tasks } = await harness.ended(runId)
      expect(tasks[0]).toMatchObject({ status: 'failed', error: { class: 'timeout' } })
      const late = await client.reportResults({ session, results: [resultOf(held, { output: 'late' })] })
      expect(late.verdicts).toEqual(['VERDICT_STALE'])
    } finally {
      clearInterval(beating)
    }
  })

  test('after a pause of the scheduler live sessions keep their leases', async () => {
    const runId = await harness.one(harness.define({ tasks: { a: { uses: 'fence.j' } } }))
    const session = await register('fence.j')
    const held = await leaseOne(session)
    // As if no scheduler had lived for ten seconds: the session's time is long over, and nobody could have extended it.
    await harness.pool.query(`
      with pulse as (update engine_pulse set at = clock_timestamp() - interval '10 seconds')
      update sessions set until = clock_timestamp() - interval '4 seconds' where id = '${session.id}'`)
    await waitFor(async () => {
      const { rows } = await harness.pool.query(
        'select until > clock_timestamp() as fresh from sessions where id = $1',
        [session.id],
      )
      if (!rows[0].fresh) throw new Error('not extended')
      return true
    })
    const reply = await client.reportResults({ session, results: [resultOf(held, {})] })
    expect(reply.verdicts).toEqual(['VERDICT_ACCEPTED'])
    await harness.ended(runId)
  })

  test('a worker that was seen to die loses what it holds at once', async () => {
    const runId = await harness.one(harness.define({ tasks: { a: { uses: 'fence.m' } } }))
    const dead = await register('fence.m')
    const lost = await leaseOne(dead)
    await harness.pool.query(`update sessions set until = clock_timestamp() + interval '1 hour' where id = $1`, [
      dead.id,
    ])
    await harness.service.workerDied(dead.id)
    const alive = await register('fence.m')
    const next = await leaseOne(alive)
    expect(next).toMatchObject({ taskId: lost.taskId, attempt: 1 })
    const { rows } = await harness.pool.query('select losses from tasks where id = $1', [lost.taskId])
    expect(rows, 'a loss, so that a task that kills its workers ends').toEqual([{ losses: 1 }])
    await client.reportResults({ session: alive, results: [resultOf(next, {})] })
    await harness.ended(runId)
  })

  test('what a lost worker held goes before what waits', async () => {
    const definition = harness.define({ tasks: { a: { uses: 'fence.l' } } })
    const first = await harness.one(definition)
    const dead = await register('fence.l')
    const lost = await leaseOne(dead)
    const waiting = [await harness.one(definition), await harness.one(definition)]
    await waitFor(async () => {
      const { rows } = await harness.pool.query(`select count(*)::int as n from task_queue where uses = 'fence.l'`)
      return rows[0].n === 3
    })
    const alive = await register('fence.l')
    const next = await leaseOne(alive)
    expect(next.taskId).toBe(lost.taskId)
    const leases = [next, await leaseOne(alive), await leaseOne(alive)]
    const reply = await client.reportResults({ session: alive, results: leases.map((one) => resultOf(one, {})) })
    expect(reply.verdicts).toEqual(leases.map(() => 'VERDICT_ACCEPTED'))
    for (const runId of [first, ...waiting]) await harness.ended(runId)
  })

  test('a database that was started since the last beat is a gap, however short it was away', async () => {
    const session = await register('fence.k')
    const beats = await withTransaction(harness.pool, async (tx) => {
      // Nobody else beats meanwhile: the pulse is locked.
      await tx.query(`update engine_pulse set at = pg_postmaster_start_time() - interval '1 millisecond'`)
      await tx.query(`update sessions set until = clock_timestamp() - interval '1 second' where id = $1`, [session.id])
      const anyGapMs = 1e12
      return [await recordLiveness(tx, anyGapMs, 6000), await recordLiveness(tx, anyGapMs, 6000)]
    })
    expect(beats).toEqual([
      { gap: true, held: false, ended: [] },
      { gap: false, held: false, ended: [] },
    ])
  })
})

describe('cancel', () => {
  let harness: Harness
  beforeAll(async () => {
    harness = await Harness.start()
  })
  afterAll(() => harness?.stop())

  test('asks the holder, which ends the task', async () => {
    const client = harness.dispatch()
    const runId = await harness.one(
      harness.define({ tasks: { a: { uses: 'slow.a' }, b: { needs: ['a'], uses: 'noop' } } }),
    )
    let stopped = () => {}
    const asked = new Promise<void>((resolve) => {
      stopped = resolve
    })
    const worker = await new TestWorker(client, async () => {
      await asked
      return { error: { class: 'cancelled' } }
    }).start(['slow.a'])
    const listening = (async () => {
      for await (const command of client.commands({ session: worker.session })) if (command.cancel) return stopped()
    })()
    await waitFor(async () => {
      if ((await harness.run(runId)).tasks[0]?.status !== 'running') throw new Error('not running')
      return true
    })
    const { run } = await harness.internal().cancelRun({ runId, projectId, reason: 'asked' })
    expect(run).toMatchObject({ status: 'cancelling', reason: 'asked' })
    await listening
    const ended = await harness.ended(runId, 1400)
    expect(ended.run).toMatchObject({ status: 'cancelled', reason: 'asked' })
    expect(ended.tasks.map((task) => task.status)).toEqual(['cancelled', 'cancelled'])
    await worker.stop()
    await expect(harness.internal().cancelRun({ runId, projectId })).rejects.toMatchObject({ reason: 'run_ended' })
  })

  test('ends a task whose holder does not answer within 2 s, and its late result is stale', async () => {
    const client = harness.dispatch()
    const runId = await harness.one(harness.define({ tasks: { a: { uses: 'slow.b' } } }))
    let finish = () => {}
    const blocked = new Promise<void>((resolve) => {
      finish = resolve
    })
    const worker = await new TestWorker(client, async () => {
      await blocked
      return { output: 'late' }
    }).start(['slow.b'])
    await waitFor(async () => {
      if ((await harness.run(runId)).tasks[0]?.status !== 'running') throw new Error('not running')
      return true
    })
    await harness.internal().cancelRun({ runId, projectId })
    const { run } = await harness.ended(runId, 2500)
    expect(run?.status).toBe('cancelled')
    finish()
    await waitFor(() => {
      if (worker.verdicts.length === 0) throw new Error('no verdict')
      return true
    })
    expect(worker.verdicts).toEqual(['VERDICT_STALE'])
    await worker.stop()
  })

  test('takes queued tasks out of the queue at once', async () => {
    const runId = await harness.one(harness.define({ tasks: { a: { uses: 'nobody.has-this' } } }))
    await waitFor(() => harness.run(runId))
    const { run } = await harness.internal().cancelRun({ runId, projectId })
    expect(run?.status).toBe('cancelled')
    const { rows } = await harness.pool.query('select * from task_queue where run_id = $1', [runId])
    expect(rows).toEqual([])
  })

  test('of a run that has not arrived is kept and applied when it is created', async () => {
    const versionId = harness.define({ tasks: { a: { uses: 'nobody.has-this' } } })
    const runId = versionId.replace(/^......../, '01999999')
    expect((await harness.internal().cancelRun({ runId, projectId, reason: 'early' })).run).toBeNull()
    await harness.internal().cancelRun({ runId, projectId, reason: 'early' })
    await harness.request(versionId, 1, undefined, [runId])
    const { run } = await harness.ended(runId)
    expect(run).toMatchObject({ status: 'cancelled', reason: 'early' })
    const { rows } = await harness.pool.query('select * from run_inbox')
    expect(rows).toEqual([])
  })
})
