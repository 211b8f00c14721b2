import { advance } from './advance.js'
import type { MapEndedCommand, MapOutcome } from './commands.js'
import { isStopped } from './compensation.js'
import { type Failure, failure } from './failure.js'
import { outputOf, settleFailure } from './settle.js'
import type { Transition } from './transition.js'
import { endWaiting } from './waiting.js'

/** All items of a map have ended: so does the map. An end of a round that is over means nothing any more. */
export function mapEnded(transition: Transition, command: MapEndedCommand): void {
  const index = transition.indexOf(command.taskId)
  if (index < 0 || !transition.isOpenMap(index) || transition.task(index).attempt !== command.round) return
  transition.dropTaskTimers(index)
  endMap(transition, index, command.outcome)
  advance(transition, [index], 0)
}

function endMap(transition: Transition, index: number, outcome: MapOutcome): void {
  if (isStopped(transition, index) || outcome.ending === 'cancel') {
    transition.moveTask(index, 'cancelled', leftBehind(transition, index, outcome))
    return
  }
  const error = errorOf(outcome)
  const { output } = outcome
  if (error) settleFailure(transition, index, error, 0, { final: true, ...(output === null ? {} : { output }) })
  else if (outcome.ending === 'stop' && outcome.succeeded < outcome.total) {
    transition.moveTask(index, 'skipped', leftBehind(transition, index, outcome))
  } else endWaiting(transition, index, output ?? '[]')
}

/** Which items succeeded, for whoever undoes them. */
function leftBehind(transition: Transition, index: number, { output }: MapOutcome) {
  const isUndone = transition.plan.tasks.some(({ compensates }) => compensates === index)
  return isUndone ? outputOf(transition, index, output ?? undefined) : {}
}

function errorOf({ ending, failed, total, firstError, output }: MapOutcome): Failure | null {
  if (ending === 'timeout') return failure('task_timeout', 'the children took longer than the map may', 'timeout')
  if (ending === 'total-timeout') {
    return failure('total_timeout', 'the children took longer than the map may', 'timeout')
  }
  if (failed > 0 && firstError) {
    const { index, error } = firstError
    const message = `${failed} of ${total} failed; first [${index}]: ${error.message}`
    return { ...failure('map_failed', message, error.class), index }
  }
  if (output === null)
    return failure('output_too_large', 'the outputs together are over what can be stored', 'validation')
  return null
}
