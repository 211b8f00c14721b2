import { type Definition, validateDefinition } from '@millrace/definition'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type ResultTransport, TransportHarness } from './result-transport.js'
import { type TestKafka, testKafka } from './test-kafka.js'

/** One suite for both transports of results: whatever a worker reports, by whichever transport, means the same. */
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

describe.each<ResultTransport>(['events', 'dispatch'])('results by %s', { timeout: 240_000 }, (transport) => {
  let harness: TransportHarness
  beforeEach(async () => {
    harness = await TransportHarness.start(kafka, transport)
  })
  afterEach(() => harness.stop())

  test('a chain runs to its end, each task once, each told once and by whom it should be', async () => {
    const runId = await harness.begin(chain(4))
    const run = await harness.ended(runId)
    expect(run.run?.status).toBe('succeeded')
    expect(run.tasks.map(({ outputJson }) => outputJson)).toEqual(['0', '1', '2', '3'])
    expect(harness.executed.map(({ key }) => key)).toEqual(['t0', 't1', 't2', 't3'])
    const results = await harness.results(runId, 4)
    expect(results.map(({ applied }) => applied)).toEqual(Array(4).fill(transport === 'dispatch' ? true : undefined))
    expect(new Set(results.map(({ source }) => source)).size).toBe(1)
    expect(results[0]?.source).toMatch(/^worker:/)
  })

  test('every task that is made ready is told of, also those of a map and those tried again', async () => {
    const retry = { maxAttempts: 2, backoff: 'fixed', delay: '50ms', jitter: 'none' }
    const items = Array.from({ length: 60 }, (_, n) => n)
    const runId = await harness.begin(
      define({
        first: { uses: 'test.echo', with: { value: 1 } },
        all: { uses: 'map', needs: ['first'], with: { items, task: { uses: 'test.echo' } } },
        last: { uses: 'test.fail', needs: ['all'], retry },
      }),
    )
    await harness.ended(runId)
    // One, sixty, and two attempts.
    const told = await harness.scheduled(runId, 63)
    expect(told.length).toBe(63)
    const executed = harness.executed.map(({ taskId }) => taskId).sort()
    expect(told.map(({ data }) => data.taskId).sort()).toEqual(executed)
    expect(told.find(({ data }) => data.uses === 'test.fail')?.data.queue).toBe('default')
    expect(told.every(({ subject, data }) => subject === data.taskId)).toBe(true)
  })

  test('a failure is retried by its policy and ends the run with its error', async () => {
    const retry = { maxAttempts: 3, backoff: 'fixed', delay: '50ms', jitter: 'none' }
    const runId = await harness.begin(define({ a: { uses: 'test.fail', retry } }))
    const run = await harness.ended(runId)
    expect(run.run?.status).toBe('failed')
    expect(run.tasks[0]).toMatchObject({ attempt: 3, error: { code: 'broken', class: 'user' } })
    expect(harness.executed.length).toBe(3)
  })

  test('an output too large for the broker goes by dispatch and arrives whole', async () => {
    const runId = await harness.begin(define({ a: { uses: 'test.large' } }))
    const run = await harness.ended(runId)
    expect(run.run?.status).toBe('succeeded')
    const [result] = await harness.results(runId, 1)
    expect(result?.applied).toBe(true)
    expect(JSON.stringify(result?.data).length).toBeGreaterThan(600_000)
  })

  test('results that come while no scheduler lives are not lost, and nothing runs twice', async () => {
    const ids = await Promise.all(Array.from({ length: 20 }, () => harness.begin(chain(2, 'test.slow'))))
    await harness.until(() => harness.running >= 20)
    await harness.stopSchedulers()
    harness.release()
    await harness.until(() => harness.running === 0)
    await harness.pause(4_000)
    await harness.startScheduler()
    for (const runId of ids) expect((await harness.ended(runId)).run?.status).toBe('succeeded')
    const executions = harness.executed.map(({ taskId }) => taskId)
    expect(new Set(executions).size).toBe(40)
    expect(executions.length).toBe(40)
  })
})

describe('with Kafka first', { timeout: 240_000 }, () => {
  let harness: TransportHarness
  beforeEach(async () => {
    harness = await TransportHarness.start(kafka, 'events')
  })
  afterEach(() => harness.stop())

  test('when Kafka is away what runs goes on by dispatch, what is new starts when it is back, no event is lost', async () => {
    const before = await harness.begin(chain(3, 'test.slow'))
    await harness.until(() => harness.running === 1)
    await kafka.kill()
    let later = ''
    try {
      harness.release()
      expect((await harness.ended(before)).run?.status).toBe('succeeded')
      later = await harness.begin(chain(2))
      expect(await harness.find(later)).toBeUndefined()
    } finally {
      await kafka.start()
    }
    expect((await harness.ended(later)).run?.status).toBe('succeeded')
    await harness.until(async () => (await harness.outboxSize()) === 0)
    expect((await harness.results(before, 3)).length).toBe(3)
    expect(harness.executed.length).toBe(5)
  })

  test('with two schedulers, work queued at one reaches the worker that waits at the other', async () => {
    await harness.startScheduler()
    const ids = await Promise.all(Array.from({ length: 10 }, () => harness.begin(chain(4))))
    for (const runId of ids) expect((await harness.ended(runId)).run?.status).toBe('succeeded')
    expect(harness.executed.length).toBe(40)
  })
})
