import { advance } from './advance.js'
import type { MapEndedCommand, MapOutcome } from './commands.js'
import type { Draft } from './draft.js'
import { type Failure, failure } from './failure.js'
import { settleFailure } from './settle.js'
import { endWaiting } from './waiting.js'

/** All children of a map have ended: so does the map. An end of a round that is over means nothing any more. */
export function mapEnded(draft: Draft, command: MapEndedCommand): void {
  const index = draft.indexOf(command.taskId)
  if (index < 0 || !draft.isOpenMap(index) || draft.task(index).attempt !== command.round) return
  draft.dropTaskTimers(index)
  endMap(draft, index, command.outcome)
  advance(draft, [index], 0)
}

function endMap(draft: Draft, index: number, outcome: MapOutcome): void {
  if (draft.status === 'cancelling' || outcome.ending === 'cancel') {
    draft.moveTask(index, 'cancelled')
    return
  }
  const error = errorOf(outcome)
  const { output } = outcome
  if (error) settleFailure(draft, index, error, 0, { final: true, ...(output === null ? {} : { output }) })
  else if (outcome.ending === 'stop' && outcome.succeeded < outcome.total) draft.moveTask(index, 'skipped')
  else endWaiting(draft, index, output ?? '[]')
}

function errorOf({ ending, failed, total, firstError, output }: MapOutcome): Failure | null {
  if (ending === 'timeout') return failure('task_timeout', 'the children took longer than the map may', 'timeout')
  if (ending === 'total-timeout') {
    return failure('total_timeout', 'the children took longer than the map may', 'timeout')
  }
  if (failed > 0 && firstError) {
    const { index, error } = firstError
    return failure('map_failed', `${failed} of ${total} failed; first [${index}]: ${error.message}`, error.class)
  }
  if (output === null)
    return failure('output_too_large', 'the outputs together are over what can be stored', 'validation')
  return null
}
