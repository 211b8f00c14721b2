import type { ParkedKey, SlotKey } from '../db/limits/slots.js'
import type { Control } from './control.js'
import type { Dispatcher } from './dispatcher.js'
import type { StopRequest } from './engine-context.js'
import type { Inbox } from './inbox.js'
import type { LimitKeeper } from './limits/limit-keeper.js'
import type { LongPolls } from './long-polls.js'
import type { Maps } from './maps.js'
import { countCommit } from './metrics.js'
import type { Outputs } from './outputs.js'
import type { RunWatch } from './run-watch.js'
import type { Timers } from './timers.js'

/** A commit put tasks into the queue. */
export interface Queued {
  /** Some of them are leased only together with slots. */
  readonly limited: boolean
}

/** What is counted of a commit. */
export interface CommitCounts {
  /** Runs that one statement wrote. */
  readonly batchRuns?: number
  /** Changes of map items that one statement was given, and those that won. */
  readonly batchItems?: { readonly size: number; readonly won: number }
  readonly itemsMade?: number
  readonly itemsEnded?: number
  readonly requeued?: { readonly why: 'lost_worker' | 'handed_back' | 'circuit_open'; readonly tasks: number }
  /** Of lost workers, since they were last heard of. */
  readonly silentSeconds?: readonly number[]
  readonly unparked?: number
  /** What limits let start, or sent to wait, by scope. */
  readonly limitsTaken?: readonly string[]
  readonly limitsRefused?: readonly string[]
}

/** What a commit changed, as far as somebody waits for it. */
export interface Commit {
  /** Runs that changed, or of which a task did: events were written about them. */
  readonly changed?: Iterable<string>
  readonly queued?: Queued | undefined
  /** Tasks were parked under these keys. */
  readonly parked?: readonly ParkedKey[]
  /** Something came free under these keys, or a run waits for its workflow's limit there. */
  readonly freed?: readonly SlotKey[]
  /** Timers were set that may be due soon. */
  readonly timers?: boolean
  /** Runs that have something in their inbox. */
  readonly inbox?: readonly string[]
  /** Maps have items to be made or ended. */
  readonly maps?: boolean
  /** Outputs are to be moved to where artifacts are kept. */
  readonly outputs?: boolean
  readonly stop?: readonly StopRequest[]
  readonly counts?: CommitCounts
}

export type Announce = (commit: Commit) => void

/** Whoever acts on a commit of this replica. */
export interface Audience {
  readonly polls: Pick<LongPolls, 'queued' | 'queuedLimited'>
  readonly dispatcher: Pick<Dispatcher, 'poke'>
  readonly limits: Pick<LimitKeeper, 'freed' | 'parked'>
  readonly timers: Pick<Timers, 'poke'>
  readonly inbox: Pick<Inbox, 'fetch'>
  readonly maps: Pick<Maps, 'poke'>
  readonly outputs: Pick<Outputs, 'poke'> | undefined
  readonly watch: Pick<RunWatch, 'changed'>
  readonly control: Pick<Control, 'stopTasks' | 'wakeReplicas'>
  /** Events were written: their readers look now. */
  readonly published: () => void
  /** There may be other replicas, with workers that wait there. */
  readonly hasReplicas: boolean
}

/**
 * The only place that wakes, notifies and counts after a commit, whichever statement made it. All of it is a hint: what a
 * crash leaves unsaid is found by polls.
 */
export function announce(to: Audience, commit: Commit): void {
  if (commit.counts) countCommit(commit.counts)
  if (commit.queued) {
    wakeWorkers(to, commit.queued.limited)
    if (to.hasReplicas) to.control.wakeReplicas(commit.queued.limited)
  }
  if (some(commit.parked)) to.limits.parked(commit.parked)
  if (some(commit.freed)) to.limits.freed(commit.freed)
  if (commit.timers) to.timers.poke()
  if (commit.maps) to.maps.poke()
  if (commit.outputs) to.outputs?.poke()
  if (some(commit.inbox)) void to.inbox.fetch(commit.inbox)
  if (some(commit.stop)) to.control.stopTasks(commit.stop)
  if (!commit.changed) return
  to.watch.changed(commit.changed)
  to.published()
}

/** Workers that wait at this replica look into the queue. */
export function wakeWorkers(to: Pick<Audience, 'polls' | 'dispatcher'>, limited: boolean): void {
  if (limited) to.polls.queuedLimited()
  else to.polls.queued()
  to.dispatcher.poke()
}

const some = <T>(list: readonly T[] | undefined): list is readonly T[] => list !== undefined && list.length > 0
