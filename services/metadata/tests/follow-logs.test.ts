import { type ClientRequest, get } from 'node:http'
import { metricsText } from '@millrace/telemetry'
import { waitFor } from '@millrace/testkit'
import { v7 } from 'uuid'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Harness, ndjson, startHarness, type TestRun, testRun } from './harness.js'

let harness: Harness
const scheduled = new Map<string, { projectId: string; finishedAt: number | undefined }>()

beforeAll(async () => {
  harness = await startHarness(
    { follow: { keepAliveMs: 150 } },
    {
      scheduler: {
        find: (projectId, id) => {
          const run = scheduled.get(id)
          return Promise.resolve(run?.projectId === projectId ? { id, finishedAt: run.finishedAt } : undefined)
        },
        close: () => undefined,
      },
    },
  )
})
afterAll(() => harness.destroy())

/** Reads a stream while it goes on, on a connection of its own: fetch would open a new one ahead of need on leaving. */
class Follower {
  text = ''
  ended = false
  status = 0
  private readonly request: ClientRequest

  constructor(run: TestRun, path: string, headers: Record<string, string> = {}) {
    const { url, identity } = harness.target(`/api/v1/${path}`, { projectId: run.projectId, subject: 'user:reader' })
    this.request = get(url, { agent: false, headers: { ...identity, ...headers } }, (response) => {
      this.status = response.statusCode ?? 0
      response.setEncoding('utf8').on('data', (chunk: string) => {
        this.text += chunk
      })
      response.on('close', () => {
        this.ended = true
      })
    })
    this.request.on('error', () => {
      this.ended = true
    })
  }

  get messages(): string[] {
    return [...this.text.matchAll(/"message":"([^"]*)"/g)].map((match) => match[1] ?? '')
  }

  leave(): void {
    this.request.destroy()
  }
}

const followers = async (): Promise<number> =>
  Number(/^millrace_metadata_log_followers (\d+)/m.exec(await metricsText())?.[1] ?? 0)

describe('following logs', () => {
  it('shows lines as they come and ends with the run, with those that came late', async () => {
    const run = testRun()
    await harness.publish([run.started(), run.run(1, 'running'), run.task(1, 'running')])
    const client = harness.logs()
    await client.append({ lines: [run.line(1), run.line(2)] })
    const follower = new Follower(run, `runs/${run.runId}/logs?follow=true`)
    await waitFor(() => follower.messages.length === 2)
    await client.append({ lines: [run.line(3)] })
    await waitFor(() => follower.messages.length === 3)
    expect(follower.ended).toBe(false)
    await harness.publish([run.task(2, 'succeeded'), run.completed(2, 'succeeded')])
    await client.append({ lines: [run.line(4, { at: new Date(0).toISOString(), message: 'late' })] })
    await waitFor(() => follower.ended)
    expect(follower.messages).toEqual(['line 1', 'line 2', 'line 3', 'late'])
  })

  it('follows a run right after its 202, before any event of it came', async () => {
    const run = testRun()
    const follower = new Follower(run, `runs/${run.runId}/logs?follow=true`)
    await new Promise((resolve) => setTimeout(resolve, 250))
    expect(follower.ended).toBe(false)
    await harness.publish([run.started()])
    await harness.logs().append({ lines: [run.line(1)] })
    await harness.publish([run.completed(1, 'succeeded')])
    await waitFor(() => follower.ended)
    expect(follower.messages).toEqual(['line 1'])
  })

  it('asks the scheduler for a run whose events it has not got, and believes its end', async () => {
    const run = testRun()
    scheduled.set(run.runId, { projectId: run.projectId, finishedAt: undefined })
    const follower = new Follower(run, `runs/${run.runId}/logs?follow=true`)
    await harness.logs().append({ lines: [run.line(1)] })
    await waitFor(() => follower.messages.length === 1)
    scheduled.set(run.runId, { projectId: run.projectId, finishedAt: Date.now() })
    await waitFor(() => follower.ended)
    expect((await harness.get(`/api/v1/runs/${run.runId}/logs`, { projectId: v7() })).status).toBe(404)
  })

  it('answers an ended run at once, without waiting out the grace again', async () => {
    const run = testRun()
    await harness.publish([run.started(), run.completed(1, 'failed')])
    await harness.logs().append({ lines: [run.line(1)] })
    const path = `/api/v1/runs/${run.runId}/logs?follow=true`
    await waitFor(async () => {
      await (await harness.get(path, { projectId: run.projectId })).text()
      const since = performance.now()
      const lines = await ndjson(await harness.get(path, { projectId: run.projectId }))
      return lines.length === 1 && performance.now() - since < 200
    })
  })

  it('follows one job to its own end while the run goes on', async () => {
    const run = testRun()
    await harness.publish([run.started(), run.run(1, 'running'), run.task(1, 'running')])
    const follower = new Follower(run, `jobs/${run.jobId}/logs?follow=true&level=warn`)
    const sibling = v7()
    await harness.logs().append({
      lines: [
        run.line(1),
        run.line(2, { level: 'error' }),
        run.line(1, { taskId: sibling, level: 'error', message: 'other' }),
      ],
    })
    await waitFor(() => follower.messages.length === 1)
    await harness.publish([run.task(2, 'failed')])
    await waitFor(() => follower.ended)
    expect(follower.messages).toEqual(['line 2'])
  })

  it('speaks SSE when asked, keeps the line alive, and goes on from the last event', async () => {
    const run = testRun()
    await harness.publish([run.started(), run.run(1, 'running')])
    const client = harness.logs()
    await client.append({ lines: [run.line(1)] })
    const sse = { accept: 'text/event-stream' }
    const path = `runs/${run.runId}/logs?follow=true`
    const first = new Follower(run, path, sse)
    await waitFor(() => first.messages.length === 1 && first.text.includes(': keep-alive'))
    const id = /^id: (.+)$/m.exec(first.text)?.[1] ?? ''
    first.leave()
    await client.append({ lines: [run.line(2, { at: new Date(0).toISOString() })] })
    const second = new Follower(run, path, { ...sse, 'last-event-id': id })
    await waitFor(() => second.messages.includes('line 2'))
    await harness.publish([run.completed(2, 'succeeded')])
    await waitFor(() => second.ended)
    const lastId = (text: string) => [...text.matchAll(/^id: (.+)$/gm)].at(-1)?.[1]
    let last = lastId(second.text) ?? ''
    expect(last).not.toBe('')
    const plain = await harness.get(`/api/v1/runs/${run.runId}/logs`, { projectId: run.projectId }, { headers: sse })
    expect(plain.headers.get('content-type')).toContain('text/event-stream')
    expect((await plain.text()).match(/^data: /gm)).toHaveLength(2)
    await waitFor(async () => {
      const third = await harness.get(
        `/api/v1/${path}`,
        { projectId: run.projectId },
        { headers: { ...sse, 'last-event-id': last } },
      )
      // A transaction open elsewhere in the server makes the last line come again, under a later id.
      last = lastId(await third.text()) ?? last
      return third.status === 204
    })
  })

  it('neither waits for a transaction that stays open elsewhere nor says a line twice because of it', async () => {
    const run = testRun()
    await harness.publish([run.started(), run.run(1, 'running')])
    const release = await harness.holdTransaction()
    const follower = new Follower(run, `runs/${run.runId}/logs?follow=true`)
    const client = harness.logs()
    for (const seq of [1, 2, 3]) {
      await client.append({ lines: [run.line(seq)] })
      await waitFor(() => follower.messages.includes(`line ${seq}`))
    }
    await release()
    await client.append({ lines: [run.line(4)] })
    await harness.publish([run.completed(2, 'succeeded')])
    await waitFor(() => follower.ended)
    expect(follower.messages).toEqual(['line 1', 'line 2', 'line 3', 'line 4'])
  })

  it('sees lines that another replica took in', async () => {
    const run = testRun()
    await harness.publish([run.started(), run.run(1, 'running')])
    const follower = new Follower(run, `runs/${run.runId}/logs?follow=true`)
    await waitFor(() => follower.status === 200)
    const other = await harness.replica()
    try {
      await other.logs().append({ lines: [run.line(1, { message: 'from elsewhere' })] })
      await waitFor(() => follower.messages.length === 1)
    } finally {
      await other.stop()
    }
    follower.leave()
  })

  it('lets go of everything when the reader goes away', async () => {
    await waitFor(async () => (await followers()) === 0)
    const run = testRun()
    await harness.publish([run.started()])
    const many = Array.from({ length: 5 }, () => new Follower(run, `runs/${run.runId}/logs?follow=true`))
    await waitFor(async () => (await followers()) === 5)
    for (const follower of many) follower.leave()
    await waitFor(async () => (await followers()) === 0)
  })

  it('ends when the credential it was opened with is revoked', async () => {
    const run = testRun()
    await harness.publish([run.started()])
    harness.tokens.set('reader', { projectId: run.projectId, role: 'viewer', subject: 'user:reader' })
    const follower = new Follower(run, `runs/${run.runId}/logs?follow=true`, { authorization: 'Bearer reader' })
    await waitFor(() => follower.status === 200)
    await new Promise((resolve) => setTimeout(resolve, 500))
    expect(follower.ended).toBe(false)
    harness.tokens.delete('reader')
    await waitFor(() => follower.ended)
  })

  it('sends a long log whole to a slow reader', async () => {
    const run = testRun()
    await harness.publish([run.started(), run.completed(1, 'succeeded')])
    const client = harness.logs()
    const message = 'x'.repeat(2_000)
    for (let i = 0; i < 5; i += 1) {
      await client.append({ lines: Array.from({ length: 1_000 }, (_, j) => run.line(i * 1_000 + j + 1, { message })) })
    }
    const response = await harness.get(`/api/v1/runs/${run.runId}/logs?follow=true`, { projectId: run.projectId })
    await new Promise((resolve) => setTimeout(resolve, 300))
    const lines = await ndjson(response)
    expect(new Set(lines.map((line) => line.seq)).size).toBe(5_000)
    expect(lines).toHaveLength(5_000)
  })

  it('ends streams when the service stops', async () => {
    const run = testRun()
    await harness.publish([run.started()])
    const follower = new Follower(run, `runs/${run.runId}/logs?follow=true`)
    await waitFor(() => follower.status === 200)
    const since = performance.now()
    await harness.restart()
    expect(performance.now() - since).toBeLessThan(5_000)
    await waitFor(() => follower.ended)
  })
})
