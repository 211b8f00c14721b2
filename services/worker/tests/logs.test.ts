import { setTimeout as delay } from 'node:timers/promises'
import { AppError, internal, malformed, permissionDenied, unauthenticated } from '@millrace/errors'
import { metricsText } from '@millrace/telemetry'
import { testLogger, waitFor } from '@millrace/testkit'
import { describe, expect, it } from 'vitest'
import type { Executor } from '../src/index.js'
import { type LogLine, LogShipper } from '../src/logs/log-shipper.js'
import { resultOf, startHarness } from './harness.js'

const chatty = (messages: string[]): Executor => ({
  uses: 'chatty',
  async execute({ log }) {
    for (const message of messages) log('info', 'stdout', message)
    await delay(1)
    log('error', 'stderr', 'last')
  },
})

describe('the log of a task', () => {
  it('has its start, every line in order and its end, numbered from 1', async () => {
    const { dispatch, logs } = await startHarness({ executors: [chatty(['one\ntwo\r\nthree\n', '', 'four'])] })
    const [id] = dispatch.enqueue({ uses: 'chatty', key: 'talk', runId: 'r', projectId: 'p' })
    await resultOf(dispatch, id)
    await waitFor(() => logs.of(id).length === 8)
    const lines = logs.of(id)
    expect(lines.map((line) => line.message)).toEqual([
      'attempt 1 started',
      ...['one', 'two', 'three', '', 'four', 'last'],
      expect.stringMatching(/^attempt 1 succeeded in \d+ ms$/),
    ])
    expect(lines.map((line) => line.seq)).toEqual([1, 2, 3, 4, 5, 6, 7, 8])
    expect(lines[1]).toMatchObject({
      level: 'info',
      stream: 'stdout',
      key: 'talk',
      runId: 'r',
      projectId: 'p',
      attempt: 1,
    })
    expect(lines[6]).toMatchObject({ level: 'error', stream: 'stderr' })
    expect(lines[0]?.at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
  })

  it('numbers a second execution of the same attempt apart from the first', async () => {
    const { dispatch, logs } = await startHarness()
    const [id] = dispatch.enqueue({ attempt: 2, token: 2 })
    await resultOf(dispatch, id)
    const again = { taskId: id ?? '', attempt: 2, token: 4 }
    dispatch.enqueue(again)
    await waitFor(() => logs.of(id).length === 4)
    expect(logs.of(id).map((line) => line.seq)).toEqual([1, 2, 1, 2])
    expect(new Set(logs.of(id).map((line) => line.leaseId)).size).toBe(2)
  })

  it('says why an attempt failed, and that it was cancelled', async () => {
    const { dispatch, logs } = await startHarness()
    const [id, slow] = dispatch.enqueue(
      { uses: 'fail', inputJson: '{"message":"no paper","class":"network"}' },
      { uses: 'sleep', inputJson: '{"duration":"1h"}' },
    )
    await resultOf(dispatch, id)
    await waitFor(() => logs.of(id).length === 2)
    expect(logs.of(id)[1]).toMatchObject({
      level: 'error',
      message: expect.stringMatching(/failed after \d+ ms \(network\): no paper/),
    })
    await waitFor(() => dispatch.commandStreams === 1)
    dispatch.cancel(slow)
    await waitFor(() => logs.of(slow).length === 2)
    expect(logs.of(slow)[1]?.message).toMatch(/cancelled/)
  })

  it('does not hold up the result while the log store is away, and arrives whole afterwards', async () => {
    const { dispatch, logs } = await startHarness({ executors: [chatty(['a', 'b'])] })
    logs.down = true
    const ids = dispatch.enqueue({ uses: 'chatty' }, { uses: 'chatty' })
    for (const id of ids) await resultOf(dispatch, id)
    expect(logs.lines).toEqual([])
    logs.down = false
    await waitFor(() => logs.lines.length === 10)
    for (const id of ids) expect(logs.of(id).map((line) => line.seq)).toEqual([1, 2, 3, 4, 5])
  })

  it('is sent whole before a stop is done', async () => {
    const { dispatch, logs, service } = await startHarness({
      executors: [chatty(Array.from({ length: 3_000 }, (_, i) => `line ${i}`))],
    })
    const [id] = dispatch.enqueue({ uses: 'chatty' })
    await resultOf(dispatch, id)
    await service.stop()
    expect(logs.of(id)).toHaveLength(3_003)
    expect(logs.batches.length).toBeLessThan(20)
  })

  it('ignores what an executor writes after its attempt has ended', async () => {
    let write: (text: string) => void = () => undefined
    const late: Executor = {
      uses: 'late',
      execute({ log }) {
        write = (text) => log('info', 'stdout', text)
      },
    }
    const { dispatch, logs } = await startHarness({ executors: [late] })
    const [id] = dispatch.enqueue({ uses: 'late' })
    await resultOf(dispatch, id)
    write('too late')
    const [next] = dispatch.enqueue({ uses: 'late' })
    await waitFor(() => logs.of(next).length === 2)
    expect(logs.of(id).map((line) => line.message)).not.toContain('too late')
  })
})

describe('secrets', () => {
  it('are hidden in logs, output and error, whole and in the forms that encoders give them', async () => {
    const secret = 'p@ss "word"\nof two lines'
    const leaky: Executor = {
      uses: 'leaky',
      execute({ log, input, mask }) {
        mask('derived-credential')
        const forms = [
          secret,
          encodeURIComponent(secret),
          Buffer.from(secret).toString('base64'),
          JSON.stringify(secret),
          new URLSearchParams({ q: secret }).toString(),
          'of two lines',
        ]
        for (const form of forms) log('info', 'stdout', `<${form}>`)
        log('info', 'stdout', 'derived-credential 424242')
        if (input) throw new Error(`failed with ${secret}`)
        return { deep: [{ [secret]: `x${secret}y` }], n: 424242, m: 4242421, keep: 'word', ['__proto__']: 1, forms }
      },
    }
    const { dispatch, logs } = await startHarness({ executors: [leaky] })
    const secrets = [secret, 'pin-424242', '424242', '']
    const [good, bad] = dispatch.enqueue(
      { uses: 'leaky', inputJson: '', secrets },
      { uses: 'leaky', inputJson: 'true', secrets },
    )
    const output = (await resultOf(dispatch, good)).outputJson
    expect(JSON.parse(output)).toMatchObject({ deep: [{ '***': 'x***y' }], n: '***', m: 4242421, keep: 'word' })
    const error = (await resultOf(dispatch, bad)).error
    expect(error?.message).toBe('failed with ***')
    await waitFor(() => logs.of(good).length === 9 && logs.of(bad).length === 9)
    const everything = `${output}${JSON.stringify(error)}${logs.lines.map((line) => line.message).join('\n')}`
    for (const shown of [
      'p@ss',
      'of two lines',
      encodeURIComponent('p@ss'),
      Buffer.from(secret).toString('base64').slice(0, 20),
      'derived-credential',
    ]) {
      expect(everything).not.toContain(shown)
    }
  })
})

describe('LogShipper', () => {
  const line = (seq: number): LogLine => ({
    ...{
      taskId: 't',
      runId: 'r',
      projectId: 'p',
      key: 'k',
      attempt: 1,
      leaseId: 'l',
      seq,
      at: '',
      level: 'info',
      stream: 'stdout',
    },
    message: `line ${seq}`,
  })

  it('drops the oldest when the store is away too long, and says how many', async () => {
    let down = true
    const stored: LogLine[] = []
    const shipper = new LogShipper({
      logger: testLogger,
      maxBufferedLines: 100,
      maxBatchLines: 10,
      retryMs: { initial: 5, max: 10 },
      append: async (lines) => {
        if (down) throw new Error('down')
        stored.push(...lines)
      },
    })
    const dropsBefore = await drops()
    shipper.push(line(1))
    await delay(5)
    for (let seq = 2; seq <= 1_000; seq++) shipper.push(line(seq))
    expect(shipper.size).toBeLessThanOrEqual(111)
    down = false
    expect(await shipper.flush(5_000)).toBe(true)
    const marker = stored.find((found) => found.level === 'warn')
    const kept = stored.filter((found) => found.level === 'info')
    expect(marker?.message).toBe(
      `… ${1_000 - kept.length} log lines of this worker were dropped here: the log store was out of reach`,
    )
    expect(kept.map((found) => found.seq)).toEqual([1, ...kept.slice(1).map((_, i) => 1_000 - kept.length + 2 + i)])
    expect((await drops()) - dropsBefore).toBeGreaterThanOrEqual(1_000 - kept.length)
  })

  function refusing(error: AppError, isRefused: (line: LogLine) => boolean) {
    const stored: LogLine[] = []
    const calls = { count: 0 }
    const shipper = new LogShipper({
      logger: testLogger,
      retryMs: { initial: 1, max: 1 },
      append: async (lines) => {
        calls.count += 1
        if (lines.some(isRefused)) throw error
        stored.push(...lines)
      },
    })
    const push = (count: number) => {
      for (let seq = 1; seq <= count; seq++) shipper.push(line(seq))
    }
    return { shipper, stored, calls, push }
  }

  it.each([
    ['the rules', malformed('invalid_log_line', 'no'), 'invalid_log_line'],
    ['a fault of the store', internal('no'), 'internal'],
  ])(
    'gives up one line refused by %s, not its neighbours, and leaves a mark in its place',
    async (_, error, reason) => {
      const { shipper, stored, push } = refusing(error, ({ seq, level }) => seq === 5 && level === 'info')
      const dropsBefore = await drops()
      push(8)
      expect(await shipper.flush(5_000)).toBe(true)
      expect(stored.map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5, 6, 7, 8])
      expect(stored[4]).toMatchObject({
        level: 'warn',
        stream: 'system',
        message: `… 1 log line of this worker was dropped here: the log store refused (${reason})`,
      })
      expect((await drops()) - dropsBefore).toBe(1)
    },
  )

  it.each([
    ['its lines', permissionDenied('foreign_run', 'no')],
    ['its identity', unauthenticated('invalid_token', 'no')],
  ])('gives up soon, for good, where the store refuses all of %s', async (_case, error) => {
    const { shipper, calls, push } = refusing(error, () => true)
    const dropsBefore = await drops()
    push(2_000)
    expect(await shipper.flush(5_000)).toBe(true)
    expect(shipper.size).toBe(0)
    expect((await drops()) - dropsBefore).toBe(2_000)
    expect(calls.count).toBeLessThan(40)
  })

  it.each(['internal', 'cancelled', 'unavailable'] as const)('goes on through a few failures: %s', async (code) => {
    let failures = 8
    const { shipper, stored, push } = refusing(new AppError(code, 'x', 'x'), () => failures-- > 0)
    const dropsBefore = await drops()
    push(3)
    expect(await shipper.flush(5_000)).toBe(true)
    expect(stored.map(({ seq, level }) => [seq, level])).toEqual([1, 2, 3].map((seq) => [seq, 'info']))
    expect(await drops()).toBe(dropsBefore)
  })

  it('ends a flush at its time', async () => {
    const shipper = new LogShipper({ logger: testLogger, append: () => new Promise(() => undefined) })
    shipper.push(line(1))
    expect(await shipper.flush(20)).toBe(false)
    shipper.abandon()
  })
})

async function drops(): Promise<number> {
  return Number(/millrace_worker_log_drops_total (\d+)/.exec(await metricsText())?.[1] ?? 0)
}
