import { testLogger, waitFor } from '@millrace/testkit'
import { expect, test } from 'vitest'
import { QueueHints } from './queue-hints.js'

test('the first is told at once, what comes meanwhile in one more, and the last is never left out', async () => {
  const sent: string[] = []
  let open: () => void = () => undefined
  const hints = new QueueHints(
    'a',
    (payload) => {
      sent.push(payload)
      return new Promise<void>((resolve) => {
        open = resolve
      })
    },
    testLogger,
  )
  hints.queued()
  expect(sent.length).toBe(1)
  for (let i = 0; i < 100; i += 1) hints.queued()
  expect(sent.length).toBe(1)
  open()
  await waitFor(() => sent.length === 2)
  open()
  await hints.close()
  expect(sent.length).toBe(2)
})

test('a failure to tell does not silence the next', async () => {
  let calls = 0
  const send = async () => {
    calls += 1
    throw new Error('no connection')
  }
  const hints = new QueueHints('a', send, testLogger)
  hints.queued()
  hints.queued()
  await waitFor(() => calls === 2)
  await hints.close()
})

test('hears others, not itself, and nothing else', () => {
  const hints = new QueueHints('a', async () => undefined, testLogger)
  expect(hints.hears(JSON.stringify({ from: 'b', queued: true }))).toBe(true)
  expect(hints.hears(JSON.stringify({ from: 'a', queued: true }))).toBe(false)
  expect(hints.hears(JSON.stringify({ from: 'b', control: true }))).toBe(false)
  expect(hints.hears('nonsense')).toBe(false)
})
