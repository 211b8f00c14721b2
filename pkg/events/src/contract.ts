import { afterEach, beforeEach, describe } from 'vitest'
import { deliveryContract } from './contract/delivery.js'
import { failureContract } from './contract/failures.js'
import type { EventBusFixture } from './contract/fixture.js'
import { readerContract } from './contract/readers.js'
import { tailContract } from './contract/tails.js'
import { transactionContract } from './contract/transactions.js'

export type { EventBusFixture, OpenPublication, ReaderProcess, StoredDeadLetter } from './contract/fixture.js'

export interface EventBusContractOptions {
  /** Whether producers write to the log inside their own transactions. */
  transactional: boolean
}

/** What every adapter of the event bus must do. Each test gets a fresh log. */
export function eventBusContract(
  name: string,
  makeFixture: () => Promise<EventBusFixture>,
  options: EventBusContractOptions,
): void {
  describe(`event bus: ${name}`, () => {
    let fixture: EventBusFixture
    beforeEach(async () => {
      fixture = await makeFixture()
    })
    afterEach(() => fixture.destroy())
    const use = () => fixture
    describe('delivery', () => deliveryContract(use))
    describe('readers', () => readerContract(use))
    describe('failures', () => failureContract(use))
    describe('tails', () => tailContract(use))
    if (options.transactional) describe('transactions', () => transactionContract(use))
  })
}
