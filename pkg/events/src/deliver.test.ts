import { unavailable } from '@millrace/errors'
import { createLogger } from '@millrace/logger'
import { currentTraceId, startTelemetry } from '@millrace/telemetry'
import { describe, expect, test } from 'vitest'
import type { RawEvent } from './cloud-event.js'
import { type DeadLetter, deliver, isDependencyFailure } from './deliver.js'

const logger = createLogger({ service: 'test', level: 'silent' })

const raw = (key: string, traceparent: string | null = null): RawEvent => ({
  topic: 'workflow.updated',
  eventId: key,
  source: 'test',
  subject: key,
  time: new Date(),
  key,
  sequence: 1,
  traceparent,
  data: JSON.stringify({ runId: key, projectId: 'p', status: 'running' }),
})

const options = (handler: (keys: string[]) => Promise<void>) => {
  const letters: DeadLetter<RawEvent>[] = []
  const stop = new AbortController()
  return {
    letters,
    stop,
    group: 'g',
    logger,
    signal: stop.signal,
    handler: (events: { partitionkey: string }[]) => handler(events.map((event) => event.partitionkey)),
    putAside: async (letter: DeadLetter<RawEvent>) => {
      letters.push(letter)
    },
  }
}

describe('delivering a batch', () => {
  test('one culprit among 512 costs few further calls, and order is kept', async () => {
    const handled: string[] = []
    let calls = 0
    const delivery = options(async (keys) => {
      calls += 1
      if (keys.includes('k300')) throw new Error('no')
      handled.push(...keys)
    })
    const keys = Array.from({ length: 512 }, (_, i) => `k${i}`)
    await deliver(
      keys.map((key) => raw(key)),
      delivery,
    )
    expect(handled).toEqual(keys.filter((key) => key !== 'k300'))
    expect(delivery.letters).toMatchObject([{ raw: { key: 'k300' }, reason: 'handler_failed', detail: 'no', tries: 3 }])
    expect(calls).toBeLessThan(25)
  })

  test('runs in the trace of the first event', async () => {
    startTelemetry({ serviceName: 'test' })
    const traceIds: (string | undefined)[] = []
    const delivery = options(async () => {
      traceIds.push(currentTraceId())
    })
    const traceId = '0af7651916cd43dd8448eb211c80319c'
    await deliver([raw('a', `00-${traceId}-b7ad6b7169203331-01`), raw('b')], delivery)
    expect(traceIds).toEqual([traceId])
  })

  test('an unparsable event is put aside without calling the handler', async () => {
    let calls = 0
    const delivery = options(async () => {
      calls += 1
    })
    await deliver([{ ...raw('a'), data: '{"runId":' }], delivery)
    expect([calls, delivery.letters[0]?.reason]).toEqual([0, 'contract_broken'])
  })

  test('stopping ends the wait for a dependency, and nothing counts as handled', async () => {
    const delivery = options(async () => {
      throw unavailable('down', 'away')
    })
    setTimeout(() => delivery.stop.abort(), 30)
    await expect(deliver([raw('a')], delivery)).rejects.toThrow(/abort/i)
    expect(delivery.letters).toEqual([])
  })

  test('a dead-letter store that is down is waited for', async () => {
    const delivery = options(async () => undefined)
    let tries = 0
    const putAside = async () => {
      tries += 1
      if (tries < 3) throw Object.assign(new Error('refused'), { code: 'ECONNREFUSED' })
    }
    await deliver([{ ...raw('a'), data: '[]' }], { ...delivery, putAside })
    expect(tries).toBe(3)
  })
})

test.each([
  [unavailable('x', 'x'), true],
  [Object.assign(new Error('x'), { code: 'ECONNRESET' }), true],
  [new TypeError('fetch failed', { cause: Object.assign(new Error('x'), { code: 'ECONNREFUSED' }) }), true],
  [new DOMException('x', 'TimeoutError'), true],
  [new TypeError('x is undefined'), false],
  ['a string', false],
])('%s is a failing dependency: %s', (error, expected) => {
  expect(isDependencyFailure(error)).toBe(expected)
})
