import { randomUUID } from 'node:crypto'
import { waitFor } from '@millrace/testkit'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { aRun, numbered } from '../src/contract/fixture.js'
import { appendEvents } from '../src/index.js'
import { LowWaterMark } from '../src/kafka/relay/low-water-mark.js'
import { readOutbox, removeSent } from '../src/kafka/relay/outbox-sql.js'
import { beat, PARTS, releaseParts } from '../src/kafka/relay/relay-parts.js'
import { type PostgresFixture, postgresFixture } from './postgres-fixture.js'

let fixture: PostgresFixture
beforeEach(async () => {
  fixture = await postgresFixture()
})
afterEach(() => fixture.destroy())

describe('the low-water mark of the outbox', () => {
  test('of a log that never had an event lies below its first one', async () => {
    const { held } = await beat(fixture.pool, randomUUID())
    const lowWaterMark = new LowWaterMark(1)
    for (let i = 0; i < 6; i += 1) lowWaterMark.looked(await readOutbox(fixture.pool, held, lowWaterMark))
    await fixture.publish([aRun('first')])
    const { rows } = await readOutbox(fixture.pool, held, lowWaterMark)
    expect(rows.map(({ key }) => key)).toEqual(['first'])
  })

  test('rises over what was removed, and never over a transaction that is still open', async () => {
    const { held } = await beat(fixture.pool, randomUUID())
    const lowWaterMark = new LowWaterMark(1)
    const look = async () => {
      const page = await readOutbox(fixture.pool, held, lowWaterMark)
      lowWaterMark.looked(page)
      return page.rows
    }
    await fixture.publish(numbered('k', 20).map((key) => aRun(key)))
    await removeSent(
      fixture.pool,
      (await look()).map(({ id }) => id),
    )
    // Not before every transaction of the server has ended that was open then: other tests have some.
    await waitFor(async () => {
      await look()
      return lowWaterMark.value === 20
    })
    const open = await fixture.publishLater([aRun('late')])
    await fixture.publish([aRun('early')])
    const [early] = await look()
    await removeSent(fixture.pool, [early?.id ?? 0])
    for (let i = 0; i < 6; i += 1) await look()
    expect(lowWaterMark.value).toBe(20)
    await open.commit()
    expect((await look()).map(({ key }) => key)).toEqual(['late'])
  })

  test('never rises over an open transaction that is younger than all that have ended', async () => {
    const { held } = await beat(fixture.pool, randomUUID())
    const lowWaterMark = new LowWaterMark(1)
    // The older transaction ends first: the snapshot's xmax is then its own xid plus one, below that of the open one.
    const older = await fixture.pool.connect()
    await older.query('begin')
    await older.query('select pg_current_xact_id()')
    const open = await fixture.publishLater([aRun('late')])
    await appendEvents(older, 'test', [aRun('early')])
    await older.query('commit')
    older.release()
    for (let i = 0; i < 6; i += 1) lowWaterMark.looked(await readOutbox(fixture.pool, held, lowWaterMark))
    await open.commit()
    const { rows } = await readOutbox(fixture.pool, held, lowWaterMark)
    expect(rows.map(({ key }) => key)).toEqual(['late', 'early'])
  })
})

describe('parts of the outbox', () => {
  test('are shared among the relays that live, and each event is read by one of them', async () => {
    const [first, second] = [randomUUID(), randomUUID()]
    const all = await beat(fixture.pool, first)
    expect(all.held.length).toBe(PARTS)
    expect((await beat(fixture.pool, second)).held).toEqual([])
    const { held, share } = await beat(fixture.pool, first)
    expect(share).toBe(PARTS / 2)
    await releaseParts(fixture.pool, first, held.slice(share))
    const theirs = (await beat(fixture.pool, second)).held
    expect(theirs.length).toBe(PARTS / 2)
    await fixture.publish(numbered('k', 100).map((key) => aRun(key)))
    const keys = await Promise.all(
      [held.slice(0, share), theirs].map(async (parts) =>
        (await readOutbox(fixture.pool, parts, new LowWaterMark())).rows.map(({ key }) => key),
      ),
    )
    expect(keys.flat().sort()).toEqual(numbered('k', 100).sort())
  })

  test('that changed hands give nothing to whoever had them', async () => {
    const [slow, quick] = [randomUUID(), randomUUID()]
    const { held } = await beat(fixture.pool, slow)
    await fixture.publish([aRun('a')])
    await fixture.pool.query(`update relay_parts set until = now() - interval '1 second'`)
    await fixture.pool.query(`update relay_members set until = now() - interval '1 second'`)
    const taken = await beat(fixture.pool, quick)
    expect(taken.held.length).toBe(PARTS)
    expect(taken.held.every(({ part, epoch }) => epoch > (held.find((h) => h.part === part)?.epoch ?? 0))).toBe(true)
    expect((await readOutbox(fixture.pool, held, new LowWaterMark())).rows).toEqual([])
    expect((await readOutbox(fixture.pool, taken.held, new LowWaterMark())).rows.length).toBe(1)
  })
})
