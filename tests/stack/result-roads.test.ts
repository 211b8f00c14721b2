import { type Definition, validateDefinition } from '@millrace/definition'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type Road, Roads } from './roads.js'
import { type TestKafka, testKafka } from './test-kafka.js'

/** One suite for both roads of results: whatever a worker reports, by whichever road, means the same. */
let kafka: TestKafka
beforeAll(async () => {
  kafka = await testKafka()
})
afterAll(() => kafka.destroy())

const define = (tasks: object): Definition => {
  const { definition, errors } = validateDefinition({ name: 'test', tasks })
  if (!definition) throw new Error(JSON.stringify(errors))
  return definition
}

const chain = (length: number, uses = 'test.echo') =>
  define(
    Object.fromEntries(
      Array.from({ length }, (_, i) => [
        `t${i}`,
        { uses, ...(i > 0 ? { needs: [`t${i - 1}`] } : {}), with: { value: i } },
      ]),
    ),
  )

describe.each<Road>(['events', 'dispatch'])('results by %s', { timeout: 240_000 }, (road) => {
  let roads: Roads
  beforeEach(async () => {
    roads = await Roads.start(kafka, road)
  })
  afterEach(() => roads.stop())

  test('a chain runs to its end, each task once, each told once and by whom it should be', async () => {
    const runId = await roads.begin(chain(4))
    const run = await roads.ended(runId)
    expect(run.run?.status).toBe('succeeded')
    expect(run.tasks.map(({ outputJson }) => outputJson)).toEqual(['0', '1', '2', '3'])
    expect(roads.executed.map(({ key }) => key)).toEqual(['t0', 't1', 't2', 't3'])
    const claims = await roads.claims(runId, 4)
    expect(claims.map(({ applied }) => applied)).toEqual(Array(4).fill(road === 'dispatch' ? true : undefined))
    expect(new Set(claims.map(({ source }) => source)).size).toBe(1)
    expect(claims[0]?.source).toMatch(/^worker:/)
  })

  test('every task that is made ready is told of, also those of a map and those tried again', async () => {
    const retry = { maxAttempts: 2, backoff: 'fixed', delay: '50ms', jitter: 'none' }
    const items = Array.from({ length: 60 }, (_, n) => n)
    const runId = await roads.begin(
      define({
        first: { uses: 'test.echo', with: { value: 1 } },
        all: { uses: 'map', needs: ['first'], with: { items, task: { uses: 'test.echo' } } },
        last: { uses: 'test.fail', needs: ['all'], retry },
      }),
    )
    await roads.ended(runId)
    // One, sixty, and two attempts.
    const told = await roads.scheduled(runId, 63)
    expect(told.length).toBe(63)
    const executed = roads.executed.map(({ taskId }) => taskId).sort()
    expect(told.map(({ data }) => data.taskId).sort()).toEqual(executed)
    expect(told.find(({ data }) => data.uses === 'test.fail')?.data.queue).toBe('default')
    expect(told.every(({ subject, data }) => subject === data.taskId)).toBe(true)
  })

  test('a failure is retried by its policy and ends the run with its error', async () => {
    const retry = { maxAttempts: 3, backoff: 'fixed', delay: '50ms', jitter: 'none' }
    const runId = await roads.begin(define({ a: { uses: 'test.fail', retry } }))
    const run = await roads.ended(runId)
    expect(run.run?.status).toBe('failed')
    expect(run.tasks[0]).toMatchObject({ attempt: 3, error: { code: 'broken', class: 'user' } })
    expect(roads.executed.length).toBe(3)
  })

  test('an output too large for the broker goes by dispatch and arrives whole', async () => {
    const runId = await roads.begin(define({ a: { uses: 'test.large' } }))
    const run = await roads.ended(runId)
    expect(run.run?.status).toBe('succeeded')
    const [claim] = await roads.claims(runId, 1)
    expect(claim?.applied).toBe(true)
    expect(JSON.stringify(claim?.data).length).toBeGreaterThan(600_000)
  })

  test('results that come while no scheduler lives are not lost, and nothing runs twice', async () => {
    const ids = await Promise.all(Array.from({ length: 20 }, () => roads.begin(chain(2, 'test.slow'))))
    await roads.until(() => roads.running >= 20)
    await roads.stopSchedulers()
    roads.release()
    await roads.until(() => roads.running === 0)
    await roads.pause(4_000)
    await roads.startScheduler()
    for (const runId of ids) expect((await roads.ended(runId)).run?.status).toBe('succeeded')
    const executions = roads.executed.map(({ taskId }) => taskId)
    expect(new Set(executions).size).toBe(40)
    expect(executions.length).toBe(40)
  })
})

describe('with Kafka first', { timeout: 240_000 }, () => {
  let roads: Roads
  beforeEach(async () => {
    roads = await Roads.start(kafka, 'events')
  })
  afterEach(() => roads.stop())

  test('when Kafka is away what runs goes on by dispatch, what is new starts when it is back, no event is lost', async () => {
    const before = await roads.begin(chain(3, 'test.slow'))
    await roads.until(() => roads.running === 1)
    await kafka.kill()
    let later = ''
    try {
      roads.release()
      expect((await roads.ended(before)).run?.status).toBe('succeeded')
      later = await roads.begin(chain(2))
      expect(await roads.find(later)).toBeUndefined()
    } finally {
      await kafka.start()
    }
    expect((await roads.ended(later)).run?.status).toBe('succeeded')
    await roads.until(async () => (await roads.outboxSize()) === 0)
    expect((await roads.claims(before, 3)).length).toBe(3)
    expect(roads.executed.length).toBe(5)
  })

  test('with two schedulers, work queued at one reaches the worker that waits at the other', async () => {
    await roads.startScheduler()
    const ids = await Promise.all(Array.from({ length: 10 }, () => roads.begin(chain(4))))
    for (const runId of ids) expect((await roads.ended(runId)).run?.status).toBe('succeeded')
    expect(roads.executed.length).toBe(40)
  })
})
