import type { WriteResult } from '../db/batch/write-batch.js'
import type { SlotKey } from '../db/limits/slots.js'
import type { Decision } from '../domain/decide.js'
import type { MapChange } from '../domain/effects.js'
import type { Commit } from './announce.js'
import { owedBy } from './build-messages.js'
import { type DecidedSlice, timersOf } from './build-slices.js'
import { type DecidedRun, queuedIndices } from './decided-run.js'
import type { StopRequest } from './engine-context.js'
import type { DecidedItem } from './item-units.js'

/** Items of a map that was resumed, or that are retried, are put into the queue by the run's own statement. */
const queuesItems = ({ paused, retried }: MapChange): boolean => paused === false || retried !== undefined

/** What the statement that wrote these units changed. Those that lost changed nothing. */
export function commitOf(
  runs: readonly DecidedRun[],
  items: readonly DecidedItem[],
  result: WriteResult,
  slices: readonly DecidedSlice[] = [],
): Commit {
  const won = runs.filter((run) => result.won.has(run.before.id))
  const wonItems = items.filter(({ id }) => result.won.has(id))
  const queuedItems = wonItems.filter(({ queued }) => queued)
  const begun = slices.filter(({ map }) => result.won.has(map.task_id))
  const queuing = begun.filter((slice) => slice.items.some(({ step }) => step.status === 'queued'))
  const queueing = won.filter((run) => queuedIndices(run).length > 0 || run.decision.effects.maps.some(queuesItems))
  const effects = won.map((run) => run.decision.effects)
  const itemsEnded = wonItems.filter(({ entry }) => entry.item.command.kind === 'end-item').length
  return {
    ...(result.won.size > 0 ? { changed: changedRuns(won, wonItems, begun) } : {}),
    queued:
      queueing.length + queuedItems.length + queuing.length === 0
        ? undefined
        : {
            limited: queueing.some(queuesLimited) || [...queuedItems, ...queuing].some(({ limited }) => limited),
          },
    freed: [...result.freed, ...won.flatMap((run) => admissionKey(run.decision))],
    timers:
      effects.some(({ newTimers, maps }) => newTimers.length > 0 || maps.some(queuesItems)) ||
      wonItems.some(({ decision }) => decision.timers.length > 0) ||
      begun.some((slice) => slice.items.some((item) => timersOf(item).length > 0)),
    maps: result.hasRoom || effects.some(({ maps }) => maps.length > 0),
    inbox: [...result.withInbox, ...won.flatMap(owedBy), ...result.closed],
    stop: wonItems.flatMap(stopOf),
    counts: {
      itemsMade: begun.reduce((sum, slice) => sum + slice.items.length, 0),
      ...(runs.length > 0 ? { batchRuns: runs.length } : {}),
      ...(items.length > 0
        ? { batchItems: { size: items.length, won: wonItems.length - itemsEnded }, itemsEnded }
        : {}),
    },
  }
}

const changedRuns = (
  runs: readonly DecidedRun[],
  items: readonly DecidedItem[],
  slices: readonly DecidedSlice[],
): ReadonlySet<string> =>
  new Set([
    ...runs.map(({ before }) => before.id),
    ...items.map(({ entry }) => entry.item.runId),
    ...slices.map(({ map }) => map.run_id),
  ])

/** An item under way whose holder is to be asked to stop. */
function stopOf({ id: taskId, decision, row }: DecidedItem): StopRequest[] {
  if (!decision.stops || !row?.session_id || !row.lease_id) return []
  return [{ sessionId: row.session_id, leaseId: row.lease_id, taskId, reason: 'timeout' }]
}

function queuesLimited(run: DecidedRun): boolean {
  const items = run.decision.effects.maps.filter(queuesItems).map(({ index }) => index)
  return [...queuedIndices(run), ...items].some((index) => run.limited.has(index))
}

/** The key of its workflow's limit under which a run now waits to begin. */
const admissionKey = ({ state, effects }: Decision): SlotKey[] =>
  effects.admissionChange.entering
    ? [{ projectId: state.projectId, scope: 'workflow', key: effects.admissionChange.entering.key }]
    : []
