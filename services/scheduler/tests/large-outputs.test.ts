import { waitFor } from '@millrace/testkit'
import { v7 } from 'uuid'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import type { ArtifactClient, NewOutput } from '../src/clients/artifact-client.js'
import { ChildRunService } from './support/children.js'
import { Harness, projectId, resultOf, TestWorker } from './support/harness.js'

/** Keeps what it is given, and can be down. */
class Artifacts implements ArtifactClient {
  readonly stored = new Map<string, NewOutput>()
  puts = 0
  gets = 0
  down = false

  async put(output: NewOutput): Promise<void> {
    this.puts += 1
    if (this.down) throw new Error('down')
    if (!this.stored.has(output.id)) this.stored.set(output.id, output)
  }

  async get(id: string, project: string): Promise<string | undefined> {
    this.gets += 1
    if (this.down) throw new Error('down')
    const found = this.stored.get(id)
    return found?.projectId === project ? found.content : undefined
  }
}

const large = 'ä'.repeat(40_000)
const piece = 'y'.repeat(60_000)

describe('large outputs', () => {
  const artifacts = new Artifacts()
  let harness: Harness
  let worker: TestWorker
  beforeAll(async () => {
    harness = await Harness.start({}, 6000, () => ({ artifacts }))
    worker = await new TestWorker(harness.dispatch(), (lease) => {
      const { output } = JSON.parse(lease.inputJson) as { output?: unknown }
      if (String(output).startsWith('PIECE')) return { output: piece + String(output) }
      return { output: output === 'LARGE' ? large : output }
    }).start(['noop'])
  })
  afterEach(() => {
    artifacts.down = false
  })
  afterAll(async () => {
    await worker?.stop()
    await harness?.stop()
  })

  const chain = (more: object = {}) =>
    harness.define({
      tasks: {
        big: { uses: 'noop', with: { output: 'LARGE' } },
        small: { needs: ['big'], uses: 'noop', with: { output: 'LITTLE' } },
        after: { needs: ['small'], uses: 'noop', with: { output: '${{ tasks.big.output.size() }}' } },
      },
      ...more,
    })
  const pointer = (json: string | undefined) => JSON.parse(json ?? 'null') as { $artifact: string; size: number }
  const payload = async (taskId: string | undefined) => {
    const { rows } = await harness.pool.query('select output, artifact_id from task_payloads where task_id = $1', [
      taskId,
    ])
    return rows[0]
  }

  test('is an artifact to readers and itself to expressions', async () => {
    const runId = await harness.one(chain())
    const { run, tasks } = await harness.ended(runId)
    expect(run?.status).toBe('succeeded')
    const { $artifact, size } = pointer(tasks[0]?.outputJson)
    expect(size).toBe(80_002)
    expect(artifacts.stored.get($artifact)).toMatchObject({
      projectId,
      runId,
      task: 'big',
      content: JSON.stringify(large),
    })
    expect(await payload(tasks[0]?.id)).toEqual({ output: null, artifact_id: $artifact })
    expect(tasks[1]?.outputJson).toBe('"LITTLE"')
    expect(tasks[2]?.outputJson).toBe('40000')
    const claims = await harness.events('task.completed', runId)
    expect(Math.max(...claims.map(({ outputJson }) => outputJson.length))).toBeLessThan(200)
  })

  test("of a run is an artifact too, and a child's reaches its parent whole", async () => {
    const newRuns = new ChildRunService(harness)
    newRuns.define('child', {
      output: '${{ tasks.big.output }}',
      tasks: { big: { uses: 'noop', with: { output: 'LARGE' } } },
    })
    const runId = await harness.one(
      harness.define({
        output: '${{ tasks.sub.output.size() }}',
        tasks: { sub: { uses: 'workflow', with: { name: 'child' } } },
      }),
    )
    const { run, tasks } = await harness.ended(runId)
    expect(run?.outputJson).toBe('40000')
    const child = await harness.run(tasks[0]?.childRunId ?? '')
    const ids = [child.run?.outputJson, tasks[0]?.outputJson].map((json) => pointer(json).$artifact)
    expect(new Set(ids).size).toBe(2)
    await waitFor(() => ids.every((id) => artifacts.stored.get(id)?.content === JSON.stringify(large)))
    const [completed] = await harness.events('workflow.completed', child.run?.id)
    expect(pointer(completed?.outputJson).$artifact).toBe(ids[0])
  })

  test('is accepted while the artifact service is down, and moved when it is back', async () => {
    artifacts.down = true
    const runId = await harness.one(chain())
    const { run, tasks } = await harness.ended(runId)
    expect(run?.status).toBe('succeeded')
    expect(tasks[2]?.outputJson).toBe('40000')
    const { $artifact } = pointer(tasks[0]?.outputJson)
    expect((await payload(tasks[0]?.id)).output).toBe(large)
    artifacts.down = false
    await waitFor(async () => (await payload(tasks[0]?.id)).output === null)
    expect(artifacts.stored.get($artifact)?.content).toBe(JSON.stringify(large))
  })

  test('that is needed while nobody can read it holds up its own run alone', async () => {
    const runId = await harness.one(
      harness.define({
        tasks: {
          big: { uses: 'noop', with: { output: 'LARGE' } },
          ask: { needs: ['big'], uses: 'approval' },
          after: { needs: ['ask'], uses: 'noop', with: { output: '${{ tasks.big.output.size() }}' } },
        },
      }),
    )
    await waitFor(async () => (await harness.run(runId)).tasks[1]?.status === 'waiting')
    artifacts.down = true
    const fresh = await harness.startScheduler({}, 6000, { artifacts })
    const approve = () =>
      harness
        .internal(fresh)
        .decideApproval({ runId, projectId, key: 'ask', approve: true, role: 'operator' }, { timeoutMs: 20_000 })
    const early = approve().catch(() => undefined)
    const other = await harness.one(harness.define({ tasks: { a: { uses: 'noop', with: { output: 1 } } } }))
    expect((await harness.ended(other)).run?.status).toBe('succeeded')
    artifacts.down = false
    await early
    await waitFor(async () => {
      if ((await harness.run(runId)).tasks[1]?.status === 'waiting') await approve().catch(() => undefined)
      return (await harness.run(runId)).tasks[1]?.status === 'succeeded'
    })
    expect((await harness.ended(runId)).tasks[2]?.outputJson).toBe('40000')
  })

  test('reported twice is written once, and a stale report writes nothing', async () => {
    const client = harness.dispatch()
    const slow = await new TestWorker(client, () => new Promise(() => {})).start(['slow.fn'])
    const runId = await harness.one(harness.define({ tasks: { a: { uses: 'slow.fn' } } }))
    const lease = await waitFor(() => [...slow.held].find((held) => held.runId === runId))
    const result = resultOf(lease, { output: large })
    const before = artifacts.puts
    const stale = { ...result, leaseId: v7() }
    expect((await client.reportResults({ session: slow.session, results: [stale], want: 0 })).verdicts).toEqual([
      'VERDICT_STALE',
    ])
    expect(artifacts.puts).toBe(before)
    for (let i = 0; i < 2; i += 1) {
      const { verdicts } = await client.reportResults({ session: slow.session, results: [result], want: 0 })
      expect(verdicts).toEqual(['VERDICT_ACCEPTED'])
    }
    expect(artifacts.puts).toBe(before + 1)
    void slow.stop()
  })

  test('that is taken over by a rerun stays where it is', async () => {
    const versionId = chain()
    const old = await harness.one(versionId)
    const first = await harness.ended(old)
    const [id = ''] = await harness.request(versionId, 1, {}, [v7()], {
      rerun: { runId: old, from: 'after', index: -1 },
    })
    const again = await harness.ended(id)
    expect(again.tasks[0]?.outputJson).toBe(first.tasks[0]?.outputJson)
    expect(again.tasks[2]?.outputJson).toBe('40000')
  })

  test("of a map's children are artifacts one by one, and of the map as a whole", async () => {
    const runId = await harness.one(
      harness.define({
        output: '${{ tasks.all.output[1].size() }}',
        tasks: {
          all: {
            uses: 'map',
            with: { items: ['LITTLE', 'LARGE'], task: { uses: 'noop', with: { output: '${{ item }}' } } },
          },
        },
      }),
    )
    const { run, tasks } = await harness.ended(runId)
    expect(run?.outputJson).toBe('40000')
    const [map, little, big] = tasks
    expect(little?.outputJson).toBe('"LITTLE"')
    expect(artifacts.stored.get(pointer(big?.outputJson).$artifact)?.content).toBe(JSON.stringify(large))
    const whole = pointer(map?.outputJson).$artifact
    await waitFor(() => artifacts.stored.get(whole)?.content === JSON.stringify(['LITTLE', large]))
  })

  test('many outputs that one message cannot hold are had page by page', async () => {
    const tasks = Object.fromEntries(
      Array.from({ length: 80 }, (_, i) => [`t${i}`, { uses: 'noop', with: { output: `PIECE ${i}` } }]),
    )
    const runId = await harness.one(harness.define({ tasks }))
    const { tasks: shown } = await harness.ended(runId, 30_000)
    expect(shown).toHaveLength(80)
    expect(shown.some(({ outputOmitted }) => outputOmitted)).toBe(true)
    const outputs: string[] = []
    let cursor = ''
    let pages = 0
    do {
      const page = await harness.internal().listTasks({ runId, projectId, cursor })
      outputs.push(...page.tasks.map(({ outputJson }) => outputJson))
      cursor = page.nextCursor
      pages += 1
    } while (cursor !== '')
    expect(outputs).toEqual(Array.from({ length: 80 }, (_, i) => JSON.stringify(`${piece}PIECE ${i}`)))
    expect(pages).toBeGreaterThan(1)
  })
})
