import { waitFor } from '@millrace/testkit'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Harness } from './support/harness.js'

/** Nothing in this file tells the scheduler of what it writes: as after a crash, or when a hint was lost. */
describe('what nobody told the scheduler of', () => {
  let harness: Harness

  beforeAll(async () => {
    harness = await Harness.start({ reconcileMs: 600_000 })
  })
  afterAll(() => harness?.stop())

  /** The first may be found by a loop's own slow poll; the next ones then have all of its pause before them. */
  async function timeOfLast(once: () => Promise<void>): Promise<number> {
    let took = 0
    for (let i = 0; i < 3; i += 1) {
      const began = performance.now()
      await once()
      took = performance.now() - began
    }
    return took
  }

  test('a command in an inbox is carried out within moments', async () => {
    const versionId = harness.define({ tasks: { a: { uses: 'nobody.fn' } } })
    const took = await timeOfLast(async () => {
      const runId = await harness.one(versionId)
      const isThere = () => harness.pool.query('select 1 from runs where id = $1', [runId])
      await waitFor(async () => (await isThere()).rowCount === 1)
      await harness.pool.query('insert into run_inbox (run_id, command, dedupe_key) values ($1, $2, $3)', [
        runId,
        { kind: 'cancel', reason: 'asked' },
        runId,
      ])
      expect((await harness.ended(runId)).run?.status).toBe('cancelled')
    })
    expect(took).toBeLessThan(4_000)
  })

  test('a timer fires when it is due', async () => {
    const versionId = harness.define({ tasks: { a: { uses: 'sleep', with: { duration: '1h' } } } })
    const took = await timeOfLast(async () => {
      const runId = await harness.one(versionId)
      const expire = () =>
        harness.pool.query(`update timers set due_at = now() where run_id = $1 and kind = 'wake'`, [runId])
      await waitFor(async () => (await expire()).rowCount === 1)
      expect((await harness.ended(runId)).run?.status).toBe('succeeded')
    })
    expect(took).toBeLessThan(4_000)
  })

  test('tasks of a session that is gone go back to the queue', async () => {
    const client = harness.dispatch()
    const versionId = harness.define({ tasks: { a: { uses: 'gone.fn' } } })
    const took = await timeOfLast(async () => {
      const worker = { name: 'gone', executors: ['gone.fn'], queues: [], concurrency: 1 }
      const { sessionId: id, sessionSecret: secret } = await client.register(worker)
      const runId = await harness.one(versionId)
      await waitFor(async () => {
        const { leases } = await client.leaseTasks({ session: { id, secret }, max: 1, waitMs: 500 })
        return leases.length > 0
      })
      await harness.pool.query(`update sessions set state = 'ended', ended_at = now() where id = $1`, [id])
      const queued = () => harness.pool.query('delete from task_queue where run_id = $1', [runId])
      await waitFor(async () => (await queued()).rowCount === 1)
    })
    expect(took).toBeLessThan(4_000)
  })
})
