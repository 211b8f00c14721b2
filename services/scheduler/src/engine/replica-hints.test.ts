import { testLogger, waitFor } from '@millrace/testkit'
import { expect, test } from 'vitest'
import { realEnvironment } from './environment.js'
import { ReplicaHints } from './replica-hints.js'

const hintsOf = (send: (payload: string) => Promise<void>) => new ReplicaHints(send, 'a', realEnvironment, testLogger)

const stopRequest = (n: number) => ({ sessionId: `s${n}`, taskId: `t${n}`, leaseId: `l${n}`, reason: 'x'.repeat(500) })

test('the first queued task is hinted at once, what comes meanwhile in one more, and the last is never left out', async () => {
  const sent: string[] = []
  let open: () => void = () => undefined
  const hints = hintsOf((payload) => {
    sent.push(payload)
    return new Promise<void>((resolve) => {
      open = resolve
    })
  })
  hints.queued(false)
  expect(sent.length).toBe(1)
  for (let i = 0; i < 100; i += 1) hints.queued(i === 50)
  expect(sent.length).toBe(1)
  open()
  await waitFor(() => sent.length === 2)
  open()
  await hints.close()
  expect(sent.map((payload) => JSON.parse(payload).queued)).toEqual(['plain', 'limited'])
})

test('a failure to send does not silence the next', async () => {
  let calls = 0
  const hints = hintsOf(async () => {
    calls += 1
    throw new Error('no connection')
  })
  hints.queued(false)
  hints.queued(false)
  await waitFor(() => calls === 2)
  await hints.close()
})

test('a command waits for no pace, and all requests to stop are sent, each message within what NOTIFY takes', async () => {
  const sent: string[] = []
  const hints = hintsOf(async (payload) => {
    sent.push(payload)
  })
  hints.queued(false)
  hints.stop(Array.from({ length: 100 }, (_, n) => stopRequest(n)))
  hints.changed()
  await hints.close()
  expect(sent.length).toBeGreaterThan(2)
  expect(Math.max(...sent.map((payload) => Buffer.byteLength(payload)))).toBeLessThan(8000)
  const other = new ReplicaHints(async () => undefined, 'b', realEnvironment, testLogger)
  const read = sent.flatMap((payload) => other.read(payload) ?? [])
  expect(read.flatMap(({ stop }) => stop.map(({ leaseId }) => leaseId))).toEqual(
    Array.from({ length: 100 }, (_, n) => `l${n}`),
  )
  expect(read.some(({ control }) => control)).toBe(true)
})

test('reads others, not itself, and nothing that is no hint', () => {
  const hints = hintsOf(async () => undefined)
  expect(hints.read(JSON.stringify({ from: 'b', queued: 'plain' }))).toEqual({
    ...{ control: false, queued: 'plain', stop: [] },
  })
  expect(hints.read(JSON.stringify({ from: 'a', queued: 'plain' }))).toBeUndefined()
  expect(hints.read('nonsense')).toBeUndefined()
})
