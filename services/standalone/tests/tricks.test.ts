import { afterAll, beforeAll, expect, test } from 'vitest'
import { type GatewayHarness, startGateway } from './gateway-harness.js'
import { expectGuarded, expectNoForgery } from './wire/expect-tricks.js'
import { headerTricks, pathTricks } from './wire/trick-cases.js'

let harness: GatewayHarness
beforeAll(async () => {
  harness = await startGateway()
})
afterAll(() => harness?.stop())

test('there are at least two hundred tricks', () => {
  expect(pathTricks.length + headerTricks.length).toBeGreaterThanOrEqual(200)
})

test('no spelling of a path reaches a guarded route without a credential', async () => {
  for (const target of pathTricks) await expectGuarded(harness.port, harness, target)
})

test('no spelling of a header carries an identity in', async () => {
  for (const lines of headerTricks) await expectNoForgery(harness.port, harness, lines)
})
