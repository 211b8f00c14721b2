import { expect, test } from 'vitest'
import { demoOrder } from '../infra/tooling/demo/order.mjs'
import { demoRecovery } from '../infra/tooling/demo/recovery.mjs'

const told: string[] = []
const say = (line: string) => told.push(line)

test('make demo tells the order and draws its trace', { timeout: 180_000 }, async () => {
  const { run, keys, lines } = await demoOrder(say)
  expect(run).toMatchObject({ status: 'succeeded', output: { orderId: '1001', receipt: 'R-7' } })
  expect(keys).toHaveLength(2)
  expect(new Set(keys).size).toBe(1)
  const named = (name: string) => lines.filter((line) => line.includes(name))
  expect(lines[0]).toMatch(/^edge: gateway workflow .*█.* ms$/)
  // One for each attempt.
  expect(named('worker: task.execute')).toHaveLength(4)
  expect(named('scheduler: consume scheduler')[0]).toMatch(/^ {4}/)
  expect(told.join('\n')).toContain('with the same idempotency key: charged once')
})

test('make demo-recovery loses nothing', { timeout: 240_000 }, async () => {
  const result = await demoRecovery(say)
  expect(result).toMatchObject({ started: 60, succeeded: 60, lost: 0, wrong: 0 })
  expect(result.outages.map(({ name }) => name)).toEqual(['the worker', 'the scheduler', 'PostgreSQL'])
  // What was being done when its worker was killed is done again.
  expect(result.repeated).toBeGreaterThan(0)
})
