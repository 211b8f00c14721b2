import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { echo, type GatewayHarness, startGateway } from './gateway-harness.js'
import { converse, expectCleanConnections, expectNothingSmuggled } from './wire/conversation.js'
import { smugglingCases } from './wire/smuggling-cases.js'

let harness: GatewayHarness

beforeAll(async () => {
  harness = await startGateway()
})
afterAll(() => harness?.stop())
beforeEach(() => {
  harness.setUpstream(echo)
  harness.seen.length = 0
})

test('there are at least a hundred cases, each of its own', () => {
  expect(new Set(smugglingCases.map(({ name }) => name)).size).toBe(smugglingCases.length)
  expect(smugglingCases.length).toBeGreaterThanOrEqual(100)
})

test.each(smugglingCases.map((each) => [each.name, each] as const))('%s', async (name, each) => {
  const { statuses, closed } = await converse(harness.port, each)
  expectNothingSmuggled(each, harness)
  if (each.expected === 'refused') {
    expect([name, statuses.length <= 1, statuses[0] ?? 400, closed]).toEqual([
      name,
      true,
      expect.toSatisfy((status: number) => [400, 405, 417, 426].includes(status)),
      true,
    ])
    expect(harness.seen).toEqual([])
  } else if (typeof each.expected === 'number') {
    expect([name, statuses]).toEqual([name, Array.from({ length: each.expected }, () => 200)])
    expect(harness.seen).toHaveLength(each.expected)
  }
  await expectCleanConnections(harness.port, harness, name)
  expectNothingSmuggled(each, harness)
})
