import type { WriteResult } from '../db/batch/write-batch.js'
import type { SlotKey } from '../db/limits/slots.js'
import type { Decision } from '../domain/decide.js'
import type { MapChange } from '../domain/effects.js'
import type { Commit } from './announce.js'
import { owedBy } from './build-messages.js'
import { type DecidedRun, queuedIndices, queuedTasks } from './decided-run.js'

/** Items of a map that was resumed, or that are retried, are put into the queue by the run's own statement. */
const queuesItems = ({ paused, retried }: MapChange): boolean => paused === false || retried !== undefined

/** What the statement that wrote these runs changed. Runs that lost changed nothing. */
export function commitOf(runs: readonly DecidedRun[], result: WriteResult): Commit {
  const won = runs.filter((run) => result.runs.has(run.before.id))
  const queueing = won.filter((run) => queuedIndices(run).length > 0 || run.decision.effects.maps.some(queuesItems))
  const effects = won.map((run) => run.decision.effects)
  return {
    ...(won.length > 0 ? { changed: result.runs.keys() } : {}),
    queued:
      queueing.length === 0
        ? undefined
        : { limited: queueing.some(queuesLimited), tasks: () => queueing.flatMap(queuedTasks) },
    freed: [...result.freed, ...won.flatMap((run) => admissionKey(run.decision))],
    timers: effects.some(({ newTimers, maps }) => newTimers.length > 0 || maps.some(queuesItems)),
    maps: effects.some(({ maps }) => maps.length > 0),
    inbox: [...result.withInbox, ...won.flatMap(owedBy)],
    counts: { batchRuns: runs.length },
  }
}

function queuesLimited(run: DecidedRun): boolean {
  const items = run.decision.effects.maps.filter(queuesItems).map(({ index }) => index)
  return [...queuedIndices(run), ...items].some((index) => run.limited.has(index))
}

/** The key of its workflow's limit under which a run now waits to begin. */
const admissionKey = ({ state, effects }: Decision): SlotKey[] =>
  effects.line.entering ? [{ projectId: state.projectId, scope: 'workflow', key: effects.line.entering.key }] : []
