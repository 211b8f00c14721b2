import { get } from 'node:http'
import { waitFor } from '@millrace/testkit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Harness, ndjson, startHarness, type TestRun, testRun } from './harness.js'

let harness: Harness
beforeAll(async () => {
  harness = await startHarness({ follow: { maxLagLines: 200 } })
})
afterAll(() => harness.destroy())

const logsOf = (run: TestRun, query: string, headers: Record<string, string> = {}) =>
  harness.get(`/api/v1/runs/${run.runId}/logs${query}`, { projectId: run.projectId }, { headers })
const read = async (run: TestRun, query: string) => await ndjson(await logsOf(run, query))
const messages = async (run: TestRun, query: string) => (await read(run, query)).map((line) => line.message)

async function endedRun(count: number): Promise<TestRun> {
  const run = testRun()
  await harness.publish([
    run.started(),
    run.task(1, 'running'),
    run.task(2, 'succeeded'),
    run.completed(3, 'succeeded'),
  ])
  const at = (seq: number) => new Date(Date.UTC(2026, 0, 1, 0, 0, seq)).toISOString()
  const lines = Array.from({ length: count }, (_, i) => run.line(i + 1, { at: at(i + 1) }))
  await harness.logs().append({ lines })
  return run
}

describe('reading logs', () => {
  it('gives the last lines, the first of them, those of a task and those of a time', async () => {
    const run = await endedRun(6)
    const level = 'error'
    await harness.logs().append({ lines: [run.line(7, { key: 'ship', at: '2026-01-01T00:00:07.000Z', level })] })
    expect(await messages(run, '?tail=2')).toEqual(['line 6', 'line 7'])
    expect(await messages(run, '?tail=0')).toEqual([])
    expect(await messages(run, '?limit=2')).toEqual(['line 1', 'line 2'])
    expect(await messages(run, '?tail=3&limit=2')).toEqual(['line 5', 'line 6'])
    expect(await messages(run, '?task=ship')).toEqual(['line 7'])
    expect(await messages(run, '?task=pay&tail=1')).toEqual(['line 6'])
    expect(await messages(run, '?level=warn&from=2026-01-01T00:00:01Z')).toEqual(['line 7'])
    expect(await messages(run, '?from=2026-01-01T00:00:02Z&to=2026-01-01T00:00:04Z')).toEqual(['line 2', 'line 3'])
    const job = await harness.get(`/api/v1/jobs/${run.jobId}/logs?tail=1&task=pay`, { projectId: run.projectId })
    expect((await ndjson(job)).map((line) => line.message)).toEqual(['line 6'])
    for (const query of ['?tail=-1', '?tail=x', '?limit=0', '?from=yesterday', '?tails=1']) {
      expect((await logsOf(run, query)).status).toBe(422)
    }
  })

  it('goes on behind the position of a line, plain and followed, to the same lines', async () => {
    const run = await endedRun(5)
    await waitFor(async () => {
      const lines = await read(run, '')
      const after = encodeURIComponent(String(lines[1]?.position))
      const plain = await messages(run, `?after=${after}`)
      const followed = await messages(run, `?after=${after}&follow=true`)
      // A transaction open elsewhere in the server makes the youngest lines come again.
      return [plain, followed].every((each) => each.join() === 'line 3,line 4,line 5')
    })
    const followed = await read(run, '?follow=true&limit=2')
    expect(followed.map((line) => line.message)).toEqual(['line 1', 'line 2'])
    await waitFor(async () => {
      const [, second] = await read(run, '?follow=true&limit=2')
      return (
        (await messages(run, `?after=${encodeURIComponent(String(second?.position))}&tail=2`)).join() ===
        'line 4,line 5'
      )
    })
    const foreign = encodeURIComponent(String((await read(await endedRun(1), ''))[0]?.position))
    expect((await logsOf(run, `?after=${foreign}x`)).status).toBe(422)
  })

  it('loses no line when followed lines come in another order than they were written', async () => {
    const run = await endedRun(3)
    const early = '2025-12-31T23:59:59.000Z'
    await harness.logs().append({ lines: [run.line(9, { at: early, message: 'early' })] })
    const all = await read(run, '?follow=true')
    expect(all.map((line) => line.message)).toEqual(['early', 'line 1', 'line 2', 'line 3'])
    for (const [i, line] of all.entries()) {
      const rest = await messages(run, `?follow=true&after=${encodeURIComponent(String(line.position))}`)
      expect(rest).toEqual(expect.arrayContaining(all.slice(i + 1).map((each) => each.message)))
    }
  })

  it('is sent as a file when asked', async () => {
    const run = await endedRun(1)
    const file = await logsOf(run, '?download=true')
    expect(file.headers.get('content-disposition')).toBe(`attachment; filename="run-${run.runId}.ndjson"`)
    expect(await ndjson(file)).toHaveLength(1)
    expect((await logsOf(run, '')).headers.get('content-disposition')).toBeNull()
  })

  it('tells a reader of the end that does not keep up how many lines it missed, and gives it the last ones', async () => {
    const run = testRun()
    await harness.publish([run.started(), run.run(1, 'running'), run.task(1, 'running')])
    const client = harness.logs()
    const message = 'x'.repeat(20_000)
    const append = async (first: number) =>
      await client.append({ lines: Array.from({ length: 100 }, (_, i) => run.line(first + i, { message })) })
    await append(1)
    const { url, identity } = harness.target(`/api/v1/runs/${run.runId}/logs?follow=true&tail=1`, run)
    let text = ''
    const slow = get(url, { agent: false, headers: identity }, (response) => {
      response.pause()
      response.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk
      })
      void (async () => {
        for (let first = 101; first < 2_500; first += 100) await append(first)
        await harness.publish([run.task(2, 'succeeded'), run.completed(2, 'succeeded')])
        response.resume()
      })()
    })
    const ended = () => /"seq":2500,/.test(text)
    await waitFor(ended, { timeoutMs: 30_000 })
    slow.destroy()
    const lines = text.split('\n').flatMap((line) => (line === '' ? [] : [safeJson(line)]))
    const given = lines.filter((line) => line?.seq !== undefined)
    const missed = lines.reduce((sum, line) => sum + Number(line?.missed ?? 0), 0)
    expect(missed).toBeGreaterThan(100)
    const first = Number(given[0]?.seq)
    expect(new Set(given.map((line) => line?.seq)).size + missed).toBe(2_500 - first + 1)
  })
})

function safeJson(text: string): Record<string, unknown> | undefined {
  try {
    return JSON.parse(text) as Record<string, unknown>
  } catch {
    return undefined
  }
}
