import { waitFor } from '@millrace/testkit'
import { v7 } from 'uuid'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Harness, TestWorker } from './support/harness.js'

describe('reruns', () => {
  let harness: Harness
  let worker: TestWorker
  beforeAll(async () => {
    harness = await Harness.start()
    worker = await new TestWorker(harness.dispatch(), ({ uses, inputJson }) =>
      uses === 'fail' ? { error: { class: 'validation' } } : { output: JSON.parse(inputJson).output ?? null },
    ).start(['noop', 'fail'])
  })
  afterAll(async () => {
    await worker?.stop()
    await harness?.stop()
  })

  const chain = (more: object = {}) =>
    harness.define({
      output: '${{ tasks.c.output }}',
      tasks: {
        a: { uses: 'noop', with: { output: '${{ "a" + input.x }}' } },
        b: { needs: ['a'], uses: 'noop', with: { output: '${{ tasks.a.output + "b" + input.x }}' } },
        c: { needs: ['b'], uses: 'noop', with: { output: '${{ tasks.b.output + "c" }}' } },
        side: { uses: 'noop', with: { output: 'unnamed' } },
        ...more,
      },
    })
  const first = async (versionId: string, x = '1') => {
    const runId = await harness.one(versionId, { x })
    await harness.ended(runId)
    return runId
  }
  const again = async (versionId: string, runId: string, from: string, x: string) => {
    const [id = ''] = await harness.request(versionId, 1, { x }, [v7()], { rerun: { runId, from, index: -1 } })
    return harness.ended(id)
  }
  const executed = (runId: string | undefined) =>
    worker.executed.filter((lease) => lease.runId === runId).map((lease) => lease.key)

  test('what is not downstream of the task it begins at is taken over, not executed', async () => {
    const versionId = chain()
    const old = await first(versionId)
    const { run, tasks } = await again(versionId, old, 'b', '2')
    expect(run).toMatchObject({ status: 'succeeded', outputJson: '"a1b2c"', rerun: { runId: old, from: 'b' } })
    expect(executed(run?.id)).toEqual(['b', 'c'])
    expect(
      tasks.map(({ key, status, attempt, outputJson, reused }) => [key, status, attempt, outputJson, reused]),
    ).toEqual([
      ['a', 'succeeded', 1, '"a1"', true],
      ['b', 'succeeded', 1, '"a1b2"', false],
      ['c', 'succeeded', 1, '"a1b2c"', false],
      ['side', 'succeeded', 1, '"unnamed"', true],
    ])
    const told = await harness.events('task.updated', run?.id)
    expect(told.filter(({ key }) => key === 'a').map(({ status }) => status)).toEqual(['succeeded'])
  })

  test('without a task everything runs again', async () => {
    const versionId = chain()
    const { run } = await again(versionId, await first(versionId), '', '2')
    expect(run?.outputJson).toBe('"a2b2c"')
    expect(executed(run?.id).sort()).toEqual(['a', 'b', 'c', 'side'])
  })

  test('what did not succeed is not taken over', async () => {
    const versionId = chain({ bad: { uses: 'fail', onFailure: 'continue' }, off: { uses: 'noop', if: '${{ false }}' } })
    const { run, tasks } = await again(versionId, await first(versionId), 'c', '2')
    expect(executed(run?.id).sort()).toEqual(['bad', 'c'])
    expect(tasks.map(({ key, status }) => [key, status]).slice(4)).toEqual([
      ['bad', 'failed'],
      ['off', 'skipped'],
    ])
  })

  test('another version matches tasks by key and runs those that the old run did not have', async () => {
    const old = await first(chain())
    const versionId = harness.define({
      tasks: {
        extra: { uses: 'noop' },
        c: { needs: ['b', 'extra'], uses: 'noop', with: { output: '${{ tasks.b.output + "!" }}' } },
        b: { uses: 'noop' },
      },
    })
    const { run, tasks } = await again(versionId, old, 'c', '2')
    expect(executed(run?.id)).toEqual(['extra', 'c'])
    expect(tasks.map(({ key, outputJson }) => [key, outputJson]).slice(1)).toEqual([
      ['c', '"a1b1!"'],
      ['b', '"a1b1"'],
    ])
  })

  test('nothing is taken over from another project', async () => {
    const versionId = chain()
    const [old = ''] = await harness.request(versionId, 1, { x: '1' }, [v7()], { projectId: v7() })
    await waitFor(async () => {
      const { rows } = await harness.pool.query("select 1 from runs where id = $1 and status = 'succeeded'", [old])
      return rows.length > 0
    })
    const { run } = await again(versionId, old, 'c', '2')
    expect(executed(run?.id).sort()).toEqual(['a', 'b', 'c', 'side'])
  })

  test('of one child of a map takes over the others', async () => {
    const versionId = harness.define({
      output: '${{ tasks.all.output }}',
      tasks: {
        list: { uses: 'noop', with: { output: ['p', 'q', 'r'] } },
        all: {
          needs: ['list'],
          uses: 'map',
          with: {
            items: '${{ tasks.list.output }}',
            task: { uses: 'noop', with: { output: '${{ item + input.x }}' } },
          },
        },
        after: { needs: ['all'], uses: 'noop', with: { output: '${{ tasks.all.output.size() }}' } },
      },
    })
    const old = await first(versionId)
    const [id = ''] = await harness.request(versionId, 1, { x: '2' }, [v7()], {
      rerun: { runId: old, from: 'all', index: 1 },
    })
    const { run, tasks } = await harness.ended(id)
    expect(run).toMatchObject({ status: 'succeeded', outputJson: '["p1","q2","r1"]' })
    expect(worker.executed.filter((lease) => lease.runId === id).map(({ key, index }) => [key, index])).toEqual([
      ['all', 1],
      ['after', undefined],
    ])
    expect(tasks.filter(({ _index }) => _index !== undefined).map(({ reused }) => reused)).toEqual([true, false, true])
  })

  test('a rerun that is delivered twice creates one run', async () => {
    const versionId = chain()
    const old = await first(versionId)
    const id = v7()
    for (let i = 0; i < 2; i += 1) {
      await harness.request(versionId, 1, { x: '2' }, [id], { rerun: { runId: old, from: 'c', index: -1 } })
    }
    await harness.ended(id)
    expect(executed(id)).toEqual(['c'])
    const completed = await harness.events('workflow.completed', id)
    expect(completed).toHaveLength(1)
    expect(completed[0]).toMatchObject({ rerun: { runId: old, from: 'c', index: -1 } })
  })
})
