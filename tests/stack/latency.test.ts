import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Client, newUser, uniqueName } from '../support/client.js'
import type { Run } from '../support/shapes.js'
import { startTarget, type Target } from '../support/target.js'

let target: Target
let client: Client
beforeAll(async () => {
  target = await startTarget()
  client = (await newUser(target)).client
})
afterAll(() => target.close())

const middle = (values: number[]): number => [...values].sort((a, b) => a - b)[values.length >> 1] ?? Number.NaN
const at = (time: string | null | undefined): number => Date.parse(time ?? '')

function gapsOf(run: Run): number[] {
  const tasks = [...run.tasks].sort((a, b) => at(a.startedAt) - at(b.startedAt))
  return tasks.slice(1).map((task, i) => at(task.startedAt) - at(tasks[i]?.finishedAt))
}

/** The numbers are printed for whoever measures; the bounds only tell a hot path from a poll on a busy machine. */
test('task end → next start and trigger → first start', { timeout: 180_000 }, async () => {
  const chain = Object.fromEntries(
    Array.from({ length: 40 }, (_, i) => [`t${i}`, { uses: 'noop', ...(i === 0 ? {} : { needs: [`t${i - 1}`] }) }]),
  )
  const gaps: number[] = []
  for (let i = 0; i < 3; i += 1) {
    gaps.push(...gapsOf(await client.ended((await client.runTasks(chain)).id, 60_000)))
  }
  const { name } = await client.createWorkflow({ name: uniqueName('one'), tasks: { a: { uses: 'noop' } } })
  const starts: number[] = []
  for (let i = 0; i < 30; i += 1) {
    const run = await client.ended((await client.startRun(name)).id, 60_000)
    starts.push(at(run.tasks[0]?.startedAt) - at(run.createdAt))
  }
  process.stdout.write(`latency: task → next p50 ${middle(gaps)} ms, trigger → start p50 ${middle(starts)} ms\n`)
  expect(middle(gaps)).toBeLessThan(500)
  expect(middle(starts)).toBeLessThan(2_000)
})
