import { type AppError, backoffMs, unavailable } from '@millrace/errors'
import { type Batcher, createBatcher, ItemFailure, isDataError, isolateFaults, retryable } from '@millrace/postgres'
import { failure } from '../domain/failure.js'
import { BatchAttempt } from './batch-attempt.js'
import type { EngineContext } from './engine-context.js'
import { sleep } from './environment.js'
import type { Outcomes, Pending, ShardAnswer, ShardItem } from './shard-item.js'

const MAX_TRIES = 50

/**
 * All commands of a run and of the items of its maps pass through one shard. A shard takes everything that waits, decides
 * in memory and writes the whole batch as one statement; what loses on rev or lease is read again and decided again.
 */
export class Shard {
  private readonly batcher: Batcher<ShardItem, ShardAnswer>

  constructor(
    private readonly engine: EngineContext,
    maxBatch: number,
  ) {
    this.batcher = createBatcher({ run: (items) => this.run(items), maxBatch })
  }

  submit(item: ShardItem): Promise<ShardAnswer> {
    return this.batcher.submit(item)
  }

  close(): Promise<void> {
    return this.batcher.close()
  }

  private async run(items: ShardItem[]): Promise<Outcomes> {
    const outcomes = new Array<ShardAnswer | ItemFailure>(items.length)
    const isOpen = ({ position }: Pending) => outcomes[position] === undefined
    let pending: Pending[] = items.map((item, position) => ({ item, position }))
    for (let tries = 0; pending.length > 0 && tries < MAX_TRIES; tries += 1) {
      try {
        pending = await isolateFaults(pending, {
          attempt: (part) => this.attempt(part.filter(isOpen), outcomes),
          isFault: isDataError,
          alone: (only, error) => (isOpen(only) ? this.refuse(only, outcomes, error) : []),
        })
      } catch (error) {
        pending = pending.filter(isOpen)
        if (!retryable(error) && !(error as AppError).retryable) {
          this.engine.logger.error({ err: error }, 'a batch failed')
          for (const { position } of pending) outcomes[position] = new ItemFailure(error)
          pending = []
        } else await this.pause(tries)
      }
    }
    for (const { position } of pending) {
      outcomes[position] = new ItemFailure(unavailable('engine_busy', 'the engine could not apply this in time'))
    }
    return outcomes
  }

  private async attempt(pending: Pending[], outcomes: Outcomes): Promise<Pending[]> {
    try {
      return await new BatchAttempt(this.engine, outcomes).run(pending)
    } catch (error) {
      for (const { item } of pending) this.engine.states.drop(item.runId)
      throw error
    }
  }

  private pause(tries: number): Promise<void> {
    const { env } = this.engine
    return sleep(env, backoffMs(tries + 1, { firstMs: 10, maxMs: 1000, random: env.random() }))
  }

  /** The statement refuses the data of this one: it is decided as what can be stored, or fails. */
  private refuse(only: Pending, outcomes: Outcomes, error: unknown): Pending[] {
    const { command } = only.item
    if (command.kind === 'succeed') {
      const refused = failure('unstorable_output', 'the output cannot be stored', 'validation')
      const { taskId, lease } = command
      return [{ ...only, item: { ...only.item, command: { kind: 'fail', taskId, lease, error: refused, random: 0 } } }]
    }
    // The join of outputs that could be stored one by one: it is one level deeper than they are.
    if (command.kind === 'map-ended' && command.outcome.output !== null) {
      const outcome = { ...command.outcome, output: null }
      return [{ ...only, item: { ...only.item, command: { ...command, outcome } } }]
    }
    this.engine.logger.error(
      { err: error, runId: only.item.runId, command: command.kind },
      'a command cannot be stored',
    )
    outcomes[only.position] = new ItemFailure(error)
    return []
  }
}
