import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { converse, expectCleanConnections, expectNothingSmuggled } from '../wire/conversation.js'
import { expectGuarded, expectNoForgery } from '../wire/expect-tricks.js'
import { smugglingCases } from '../wire/smuggling-cases.js'
import { headerTricks, pathTricks } from '../wire/trick-cases.js'
import { startTwoGateways, type TwoGateways } from './two-gateways.js'

let both: TwoGateways

beforeAll(async () => {
  both = await startTwoGateways()
})
afterAll(() => both?.stop())
beforeEach(() => both.reset())

/** Envoy writes every request anew, so it may serve what the Node gateway refuses; it must never make two of one. */
test.each(smugglingCases.map((each) => [each.name, each] as const))('through Envoy: %s', async (name, each) => {
  const { statuses } = await converse(both.envoy, each.expected === 'refused' ? { ...each, expected: 'safe' } : each)
  expectNothingSmuggled(each, both.upstreams)
  if (typeof each.expected === 'number') {
    expect([name, statuses]).toEqual([name, Array.from({ length: each.expected }, () => 200)])
  }
  await expectCleanConnections(both.envoy, both.upstreams, name)
  expectNothingSmuggled(each, both.upstreams)
})

test('through Envoy: no spelling of a path reaches a guarded route without a credential', async () => {
  for (const target of pathTricks) await expectGuarded(both.envoy, both.upstreams, target)
})

test('through Envoy: no spelling of a header carries an identity in', async () => {
  for (const lines of headerTricks) await expectNoForgery(both.envoy, both.upstreams, lines)
})
