import { unavailable } from '@millrace/errors'
import type { EngineContext } from './engine-context.js'
import { attemptOf, itemOf } from './item-units.js'
import type { ShardAnswer, ShardItem, ShardOutcome } from './shard-item.js'

const MAX_TRIES = 20

/**
 * Submits a command; one whose expressions take too long for the deciding thread is evaluated elsewhere and submitted
 * again. Only commands that nobody else's wait for come here a second time: whatever else becomes ready is put off by its
 * decision, and begins with a timer of its own.
 */
export async function submitEvaluated(
  engine: EngineContext,
  item: ShardItem,
  submit: (item: ShardItem) => Promise<ShardAnswer>,
): Promise<ShardOutcome> {
  const continues = item.command.kind === 'advance' && item.command.timerId !== undefined
  let next = continues ? await evaluated(engine, item) : item
  for (let i = 0; i < MAX_TRIES; i += 1) {
    const outcome = await submit(next)
    if (outcome !== 'deferred') return outcome
    next = await evaluated(engine, item)
  }
  throw unavailable('engine_busy', 'the run changes faster than its expressions can be evaluated')
}

async function evaluated(engine: EngineContext, item: ShardItem): Promise<ShardItem> {
  const { runId, command } = item
  const itemId = itemOf(item)
  const attempt = itemId === undefined ? undefined : await attemptOf(engine, itemId)
  const { states, failed } = await engine.states.get(engine.store, [runId])
  if (failed.has(runId)) throw failed.get(runId)
  const state = attempt?.state ?? states.get(runId)
  if (!state) return item
  const definition = await engine.plans.sourceOf(state.versionId)
  const work = attempt ? { state, items: [attempt.attempt] } : { state, command }
  return { ...item, evaluations: await engine.elsewhere.run({ versionId: state.versionId, definition, work }) }
}
