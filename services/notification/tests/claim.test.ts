import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { claimDeliveries } from '../src/db/claim-deliveries.js'
import { Harness } from './support/harness.js'

describe('claiming', () => {
  let harness: Harness
  let subscriptionId: string
  beforeAll(async () => {
    harness = await Harness.create()
    subscriptionId = (await harness.subscribe()).id
    // The service itself would claim what these tests put there.
    await harness.service.stop()
  })
  afterAll(() => harness.close())
  beforeEach(() => harness.pool.query('truncate deliveries cascade'))

  async function put(endpoint: string, count: number, dueIn: string): Promise<void> {
    await harness.pool.query(
      `insert into deliveries (id, project_id, subscription_id, event_id, kind, type, body, endpoint, next_attempt_at)
       select gen_random_uuid(), $1, $2, $3 || n, 'event', 'workflow.completed', '{}', $4, now() + $5::interval
       from generate_series(1, $6::int) n`,
      [harness.projectId, subscriptionId, randomUUID(), endpoint, dueIn, count],
    )
  }
  const claim = async (options: { limit?: number; busy?: [string, number][] } = {}) => {
    const { limit = 10, busy = [] } = options
    const claimed = await claimDeliveries(harness.pool, {
      limit,
      maxPerEndpoint: 4,
      claimMs: 60_000,
      busy: new Map(busy),
    })
    return claimed.map((delivery) => delivery.endpoint).sort()
  }

  it('takes what is due, the oldest first, and nothing twice', async () => {
    await put('https://late', 2, '1 hour')
    await put('https://a', 1, '-1 second')
    await put('https://b', 1, '-2 seconds')
    expect(await claim({ limit: 1 })).toEqual(['https://b'])
    expect(await claim()).toEqual(['https://a'])
    expect(await claim()).toEqual([])
  })

  it('keeps to the limit in all and for each endpoint', async () => {
    await put('https://a', 10, '-3 seconds')
    await put('https://b', 10, '-1 second')
    expect(await claim({ limit: 6 })).toEqual([...Array(4).fill('https://a'), ...Array(2).fill('https://b')])
    expect(
      await claim({
        busy: [
          ['https://a', 4],
          ['https://b', 3],
        ],
      }),
    ).toEqual(['https://b'])
    expect(
      await claim({
        busy: [
          ['https://a', 9],
          ['https://b', 4],
        ],
      }),
    ).toEqual([])
  })

  it.each([999, 1000, 3000])('finds another endpoint behind a backlog of %i', async (count) => {
    await put('https://flood', count, '-1 minute')
    await put('https://z', 2, '-1 second')
    await put('https://a', 1, '-1 second')
    expect(await claim({ busy: [['https://flood', 4]] })).toEqual(['https://a', 'https://z', 'https://z'])
    expect(await claim()).toEqual(Array(4).fill('https://flood'))
  })

  it('gives concurrent claimers different rows', async () => {
    for (let n = 0; n < 30; n++) await put(`https://e${n}`, 4, '-1 second')
    const rounds = await Promise.all(Array.from({ length: 8 }, () => claim({ limit: 200 })))
    const again = await claim({ limit: 200 })
    expect([...rounds.flat(), ...again]).toHaveLength(120)
    const { rows } = await harness.pool.query('select count(distinct claim_token) as tokens from deliveries')
    expect(rows[0].tokens).toBe(120)
  })

  it('makes a row due again when its claim ends', async () => {
    await put('https://a', 1, '-1 second')
    const request = { limit: 1, maxPerEndpoint: 1, claimMs: 0, busy: new Map() }
    const [first] = await claimDeliveries(harness.pool, request)
    const [second] = await claimDeliveries(harness.pool, request)
    expect(second?.id).toBe(first?.id)
    expect(second?.claimToken).not.toBe(first?.claimToken)
  })
})
