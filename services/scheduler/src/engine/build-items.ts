import type { BatchRows } from '../db/batch/clauses.js'
import { isLargeOutput, outputPointer } from '../domain/large-output.js'
import type { Environment } from './environment.js'
import type { DecidedItem } from './item-units.js'
import { type ShardItem, timerOf } from './shard-item.js'

/** What a map item's decision writes: the item itself, and what follows for any task. */
export function addItem(rows: BatchRows, one: DecidedItem, env: Environment): void {
  const { id, entry, decision } = one
  const { runId } = entry.item
  const { status, attempt = null, error, attemptFailed = false, fence = false } = decision
  rows.itemChanges.push(guardOf(one, env))
  rows.taskChanges.push({
    ...{ id, unit: id, status, attempt, maxAttempts: null, attemptFailed, fence },
    ...{ error: error === null ? null : JSON.stringify(error), mayHoldSlots: one.mayHoldSlots },
    ...{ leaseId: null, sessionId: null, workerId: null },
  })
  const { input = null, output = null, limits, dropsTimers } = decision
  if (input !== null || output !== null) rows.payloads.push({ taskId: id, unit: id, input, output })
  if (limits && status === 'queued') rows.taskLimits.push({ taskId: id, unit: id, limits: JSON.stringify(limits) })
  if (decision.expected.status === 'queued') rows.dequeued.push({ taskId: id, unit: id })
  for (const { kind, delayMs } of decision.timers) rows.newTimers.push({ unit: id, runId, taskId: id, kind, delayMs })
  const timerId = timerOf(entry.item)
  if (timerId !== undefined) rows.firedTimers.push({ id: timerId, unit: id })
  if (dropsTimers) rows.droppedTimers.push({ unit: id, runId, taskId: id, ...dropsTimers })
}

function guardOf({ id, ordinal, entry, decision, row, limited }: DecidedItem, env: Environment) {
  const { expected, guard, status, output } = decision
  return {
    ...{ id, runId: entry.item.runId, ordinal, expected: expected.status, token: guard?.token ?? row?.token ?? null },
    ...{ leaseId: guard?.leaseId ?? null, sessionId: guard?.sessionId ?? null },
    ...{ ending: expected.ending, paused: expected.paused ?? null },
    outputBytes: status === 'succeeded' && output ? Buffer.byteLength(output) : 0,
    ...{ queued: status === 'queued', limited },
    deadLetterId: decision.deadLetter ? env.newId() : null,
    ...reportOf(entry.item),
  }
}

/** The worker's own words, published in its name whatever becomes of the item. */
function reportOf({ command, report }: ShardItem) {
  const claim = command.kind === 'succeed' ? 'task.completed' : 'task.failed'
  if (!report || report.published) return noReport
  const { workerId, durationMs } = report
  return { claim, reportSource: `worker:${workerId}`, reportOutput: publishedOutput(command), durationMs }
}

const noReport = { claim: null, reportSource: null, reportOutput: null, durationMs: 0 }

/** Events carry no large text: what is kept as an artifact is told as such. */
function publishedOutput(command: ShardItem['command']): string | null {
  if (command.kind !== 'succeed') return null
  const { artifact, output } = command
  if (artifact) return outputPointer(artifact)
  return output !== null && isLargeOutput(output) ? null : output
}
