import type { Pool, Tx } from './pool.js'

export interface TransactionOptions {
  isolation?: 'read committed' | 'repeatable read' | 'serializable'
}

/** Retries nothing: the caller alone knows whether running its work again is sound (see `retryable`). */
export async function withTransaction<T>(
  pool: Pool,
  work: (tx: Tx) => Promise<T>,
  options: TransactionOptions = {},
): Promise<T> {
  const tx = await pool.connect()
  let broken = true
  try {
    await tx.query(options.isolation === undefined ? 'begin' : `begin isolation level ${options.isolation}`)
    const result = await runWork(tx, work)
    // An aborted transaction answers COMMIT with ROLLBACK and no error: without this check, work that swallowed
    // a failed statement would be reported as done.
    const ended = await tx.query('commit')
    broken = false
    if (ended.command !== 'COMMIT') throw new TransactionAbortedError()
    return result
  } catch (error) {
    if (error instanceof WorkFailed) {
      broken = !error.rolledBack
      throw error.reason
    }
    throw error
  } finally {
    tx.release(broken)
  }
}

export class TransactionAbortedError extends Error {
  override readonly name = 'TransactionAbortedError'
  constructor() {
    super('the transaction was aborted by an earlier error and nothing was committed')
  }
}

class WorkFailed {
  constructor(
    readonly reason: unknown,
    readonly rolledBack: boolean,
  ) {}
}

async function runWork<T>(tx: Tx, work: (tx: Tx) => Promise<T>): Promise<T> {
  try {
    return await work(tx)
  } catch (reason) {
    const rolledBack = await tx.query('rollback').then(
      () => true,
      () => false,
    )
    throw new WorkFailed(reason, rolledBack)
  }
}
