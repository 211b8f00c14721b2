import type { PlanTask } from '@millrace/definition'
import { assertNever } from '@millrace/errors'
import { type TaskStatus, taskHasEnded } from './task-state.js'

export type Readiness = 'wait' | 'ready' | 'skip'

/** Whether a task's needs let it begin, keep it waiting, or can no longer be met. */
export function readiness(when: PlanTask['when'], needs: readonly TaskStatus[]): Readiness {
  const allEnded = needs.every(taskHasEnded)
  switch (when) {
    case 'all_success':
      if (needs.some((status) => taskHasEnded(status) && status !== 'succeeded')) return 'skip'
      return allEnded ? 'ready' : 'wait'
    case 'all_done':
      return allEnded ? 'ready' : 'wait'
    case 'none_failed':
      if (needs.some((status) => status === 'failed' || status === 'cancelled')) return 'skip'
      return allEnded ? 'ready' : 'wait'
    case 'any_success':
      if (needs.some((status) => status === 'succeeded')) return 'ready'
      return allEnded ? (needs.length === 0 ? 'ready' : 'skip') : 'wait'
    case 'any_failed':
      if (needs.some((status) => status === 'failed')) return 'ready'
      return allEnded ? 'skip' : 'wait'
    default:
      return assertNever(when)
  }
}

/** Rules that still let a task begin after some other task has failed with `onFailure: stop`. */
export const acceptsFailure = (when: PlanTask['when']): boolean => when === 'all_done' || when === 'any_failed'
