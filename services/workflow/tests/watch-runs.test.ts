import { randomUUID } from 'node:crypto'
import { unavailable } from '@millrace/errors'
import { waitFor } from '@millrace/testkit'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { type Harness, noop, protoRun, startHarness } from './harness.js'

let h: Harness
beforeAll(async () => {
  h = await startHarness()
  await h.call('POST', '/api/v1/workflows', noop('w'))
})
afterAll(() => h.stop())
beforeEach(() => {
  h.scheduler.changes = async function* () {}
})

interface SseEvent {
  event: string
  id: string
  data: Record<string, unknown>
}

function parseEvents(text: string): SseEvent[] {
  return text.split('\n\n').flatMap((block) => {
    const field = (name: string) =>
      block
        .split('\n')
        .find((line) => line.startsWith(`${name}: `))
        ?.slice(name.length + 2)
    const event = field('event')
    return event === undefined ? [] : [{ event, id: field('id') ?? '', data: JSON.parse(field('data') ?? 'null') }]
  })
}

const start = async (): Promise<{ id: string; createdAt: string }> =>
  (await h.call('POST', '/api/v1/workflows/w/runs', {})).body
const take = (id: string, status = 'running') =>
  h.scheduler.rows.set(id, { run: protoRun(id, h.projectId, { status, rev: 3 }), tasks: [] })

function open(id: string, signal?: AbortSignal, headers = h.headers()) {
  const stream = { text: '', ended: false, headers: new Headers() }
  const done = (async () => {
    const response = await fetch(h.url(`/api/v1/runs/${id}/events`), {
      headers,
      ...(signal ? { signal } : {}),
    })
    stream.headers = response.headers
    for await (const chunk of response.body!) stream.text += Buffer.from(chunk).toString()
    stream.ended = true
  })()
  return { stream, done, events: () => parseEvents(stream.text) }
}

test('sends a snapshot, then changes, and ends with the run', async () => {
  const run = await start()
  take(run.id)
  h.scheduler.changes = async function* () {
    yield { task: { id: randomUUID(), key: 'a', status: 'running', rev: 7 } }
    yield { run: protoRun(run.id, h.projectId, { status: 'succeeded', rev: 4, outputJson: '{"ok":true}' }) }
  }
  const { stream, done, events } = open(run.id)
  await done
  expect(stream.headers.get('content-type')).toBe('text/event-stream')
  expect(events().map((e) => [e.event, e.id])).toEqual([
    ['snapshot', '3'],
    ['task', '7'],
    ['run', '4'],
  ])
  expect(events()[0]?.data).toMatchObject({ id: run.id, status: 'running', tasks: [] })
  expect(events()[2]?.data).toMatchObject({ status: 'succeeded', output: { ok: true } })
})

test('begins with the request of a run that is not created, and goes on when it is', async () => {
  const run = await start()
  const { done, events } = open(run.id)
  await waitFor(() => events().length === 1)
  expect(events()[0]).toMatchObject({
    event: 'snapshot',
    data: { status: 'queued', tasks: [{ key: 'a', status: 'pending' }, { key: 'b' }] },
  })
  take(run.id, 'succeeded')
  await done
  expect(events().map((e) => e.data.status)).toEqual(['queued', 'succeeded'])
})

test('starts again with a snapshot when the scheduler comes back', async () => {
  const run = await start()
  take(run.id)
  let tries = 0
  h.scheduler.changes = async function* () {
    if (tries++ === 0) throw unavailable('restarting', 'The scheduler restarts.')
    yield { run: protoRun(run.id, h.projectId, { status: 'failed', rev: 5 }) }
  }
  const { done, events } = open(run.id)
  await done
  expect(events().map((e) => e.event)).toEqual(['snapshot', 'snapshot', 'run'])
})

test('goes on when a scheduler that drains ends the stream before the run ended', async () => {
  const run = await start()
  take(run.id)
  let tries = 0
  h.scheduler.changes = async function* () {
    if (tries++ > 0) yield { run: protoRun(run.id, h.projectId, { status: 'succeeded', rev: 5 }) }
  }
  const { done, events } = open(run.id)
  await done
  expect(events().map((e) => e.event)).toEqual(['snapshot', 'snapshot', 'run'])
})

test('lets go of the scheduler when the reader leaves', async () => {
  const run = await start()
  take(run.id)
  let released = false
  h.scheduler.changes = async function* () {
    try {
      for (;;) {
        yield { run: protoRun(run.id, h.projectId, { rev: 9 }) }
        await new Promise((resolve) => setTimeout(resolve, 20))
      }
    } finally {
      released = true
    }
  }
  const reader = new AbortController()
  const { done, events } = open(run.id, reader.signal)
  await waitFor(() => events().length > 2)
  reader.abort()
  await expect(done).rejects.toThrow()
  await waitFor(() => released)
})

test('ends when its caller may no longer read: the credential is asked about while the stream is open', async () => {
  const run = await start()
  take(run.id)
  h.scheduler.changes = async function* () {
    await new Promise(() => undefined)
  }
  const caller = { subject: 'user:reader', projectId: h.projectId }
  h.credentials.set('Bearer reader', caller)
  const { stream, events } = open(run.id, undefined, { ...h.headers(caller), authorization: 'Bearer reader' })
  await waitFor(() => events().length === 1)
  expect(stream.ended).toBe(false)
  h.credentials.delete('Bearer reader')
  await waitFor(() => stream.ended, { timeoutMs: 5000 })
})
