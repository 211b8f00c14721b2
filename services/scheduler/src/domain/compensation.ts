import { runHasEnded } from './run-state.js'
import { taskHasEnded } from './task-state.js'
import type { Transition } from './transition.js'

/** Compensations begin when every other task has ended; then only their own time limits end them, not a cancel or a timeout of the run. */
export const isCompensation = (transition: Transition, index: number): boolean =>
  transition.plan.tasks[index]?.compensates !== undefined

const compensations = ({ plan }: Transition) => plan.tasks.filter(({ compensates }) => compensates !== undefined)

/** The run's tasks have ended, and its compensations have not. */
export const isCompensating = (transition: Transition): boolean =>
  transition.started && transition.open === 0 && !runHasEnded(transition.status) && compensations(transition).length > 0

/** A cancel or a timeout of the run ends this task, whatever its worker says. */
export const isStopped = (transition: Transition, index: number): boolean =>
  transition.status === 'cancelling' && !isCompensation(transition, index)

/** Some of what the run did may have been undone. */
export const hasCompensated = (transition: Transition): boolean =>
  compensations(transition).some(({ index }) => transition.task(index).attempt > 0)

/** Compensations that have not ended; none of them begins any more once they are skipped. */
export const openCompensations = (transition: Transition) =>
  compensations(transition).filter(({ index }) => !taskHasEnded(transition.task(index).status))

/**
 * Whether there is something to undo: the task succeeded in this very run. Items of a map may have succeeded however the
 * map itself ended.
 */
export function isToBeUndone(transition: Transition, index: number): boolean {
  if (transition.state.origin?.rerun?.reused?.includes(index)) return false
  const { status, attempt } = transition.task(index)
  return status === 'succeeded' || (transition.plan.tasks[index]?.uses === 'map' && attempt > 0)
}
