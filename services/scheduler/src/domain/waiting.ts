import { parseDuration } from '@millrace/definition'
import { beginChild } from './child-run.js'
import type { EnginePlanTask } from './engine-plan.js'
import { beginMap } from './map-task.js'
import type { Transition } from './transition.js'

/** A sleep longer than this holds no worker: the engine's own timer ends it. */
const LONGEST_HELD_SLEEP_MS = 5000

/** Takes up a task that no worker executes. False when a worker does. */
export function beginWaiting(transition: Transition, plan: EnginePlanTask, attempt: number, input: string): boolean {
  switch (plan.uses) {
    case 'approval':
      return wait(transition, plan, attempt, input, () => transition.requestApproval(plan.index, input))
    case 'signal':
      return wait(transition, plan, attempt, input, () => takeKeptSignal(transition, plan.index, input))
    case 'workflow':
      return beginChild(transition, plan, attempt, input)
    case 'map':
      beginMap(transition, plan, attempt, input)
      return true
    case 'sleep':
      return beginSleep(transition, plan, attempt, input)
    default:
      return false
  }
}

function wait(transition: Transition, plan: EnginePlanTask, attempt: number, input: string, then: () => void): true {
  transition.moveTask(plan.index, 'waiting', { attempt, input })
  if (plan.timeoutMs !== undefined) {
    transition.addTimer({ kind: 'task-timeout', taskIndex: plan.index, delayMs: plan.timeoutMs })
  }
  then()
  return true
}

function beginSleep(transition: Transition, plan: EnginePlanTask, attempt: number, input: string): boolean {
  const durationMs = longSleepMs(input)
  if (durationMs === undefined) return false
  // What is counted has to be leased.
  if (plan.limits) return false
  return wait(transition, plan, attempt, input, () =>
    transition.addTimer({ kind: 'wake', taskIndex: plan.index, delayMs: durationMs }),
  )
}

/** How long a sleep with this `with` takes, if no worker is to be held for it. */
export function longSleepMs(input: string): number | undefined {
  const durationMs = sleepMs(input)
  return durationMs !== undefined && durationMs > LONGEST_HELD_SLEEP_MS ? durationMs : undefined
}

export function sleepMs(input: string): number | undefined {
  const { duration } = JSON.parse(input) as { duration?: unknown }
  return typeof duration === 'string' ? parseDuration(duration) : undefined
}

/** The signal that a waiting task asks for. */
export const signalName = (input: string): string =>
  String((JSON.parse(input) as { name?: unknown } | null)?.name ?? '')

function takeKeptSignal(transition: Transition, index: number, input: string): void {
  const kept = transition.takeSignal(signalName(input))
  if (kept) endWaiting(transition, index, kept.payload)
}

/** Ends a waiting task well, with this JSON text as its output. What follows is up to the caller. */
export function endWaiting(transition: Transition, index: number, output: string): void {
  transition.moveTask(index, 'succeeded', {
    output,
    error: null,
    ...(transition.plan.namedOutputs.has(index) ? { parsedOutput: JSON.parse(output) } : {}),
  })
  transition.dropTaskTimers(index)
}
