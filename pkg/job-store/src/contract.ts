import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe } from 'vitest'
import { deletionContract } from './contract/deletion.js'
import { documentContract } from './contract/documents.js'
import { logContract } from './contract/logs.js'
import { redeliveryContract } from './contract/redelivery.js'
import { statsContract, taskStatsContract } from './contract/stats.js'
import type { JobStore } from './port.js'

export interface StoreUnderTest {
  store: JobStore
  /** A second store on the same data, as another replica has it: nothing in memory is shared. */
  replica: JobStore
  destroy(): Promise<void>
}

export interface ContractContext {
  store: () => JobStore
  replica: () => JobStore
  projectId: string
}

/** What every adapter of the port must do. */
export function jobStoreContract(name: string, makeStore: () => Promise<StoreUnderTest>): void {
  describe(`${name} keeps the contract of a job store:`, () => {
    let made: StoreUnderTest | undefined
    const use = (): StoreUnderTest => {
      if (made === undefined) throw new Error('the store is not made yet')
      return made
    }
    beforeAll(async () => {
      made = await makeStore()
      await Promise.all([made.store.prepare(), made.replica.prepare()])
    })
    afterAll(async () => {
      await made?.destroy()
    })
    const context: ContractContext = {
      store: () => use().store,
      replica: () => use().replica,
      projectId: randomUUID(),
    }
    documentContract(context)
    redeliveryContract(context)
    logContract(context)
    statsContract(context)
    taskStatsContract(context)
    deletionContract(context)
  })
}
