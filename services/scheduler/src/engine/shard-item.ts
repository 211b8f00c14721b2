import type { Evaluations } from '@millrace/definition'
import type { ItemFailure } from '@millrace/postgres'
import type { Command, LeaseProof } from '../domain/commands.js'
import type { RunOrigin } from '../domain/origin.js'
import type { LongPoll } from './long-polls.js'

/** The items of a map of another run that succeeded, all but one, stand for those of a map of this one. */
export interface ItemCopy {
  /** Of the map in this run's plan. */
  readonly ordinal: number
  readonly fromRunId: string
  readonly fromOrdinal: number
  readonly exceptIndex: number
}

/** What `workflow.started` tells of a run. */
export interface NewRunFacts {
  readonly runId: string
  readonly projectId: string
  readonly workflowId: string | null
  readonly workflow: string
  readonly version: number
  readonly versionId: string
  readonly input: string | null
  readonly priority: number
  readonly labels: Readonly<Record<string, string>>
  readonly createdAt: string
  readonly requestedBy: string
  readonly traceparent: string | null
  readonly origin: RunOrigin | null
  /** What a rerun of one item takes over of its map's others. */
  readonly itemCopy?: ItemCopy
  readonly hold: boolean
  /** Not before this many milliseconds have passed. */
  readonly delayMs: number
}

/** Who says so: a worker's report travels on as an event in that worker's name. */
export interface ReportFacts {
  readonly sessionId: string
  readonly workerId: string
  readonly durationMs: number
  readonly poll: LongPoll | null
  /** The worker has told the world itself. */
  readonly published?: boolean
}

export interface ShardItem {
  readonly runId: string
  readonly newRun?: NewRunFacts
  readonly command: Command
  readonly report?: ReportFacts
  /** What its costly expressions gave, evaluated outside of this thread. */
  readonly evaluations?: Evaluations
}

export type ShardOutcome =
  /** The command took effect, or there was nothing left for it to do. */
  | 'applied'
  /** The lease had been fenced: nothing changed. */
  | 'stale'
  /** The scheduler does not have this run. */
  | 'absent'

/** What a shard says: the outcome, or that expressions take too long for its thread and are to be evaluated elsewhere. */
export type ShardAnswer = ShardOutcome | 'deferred'

/** A command and its place in the batch. */
export interface Pending {
  readonly position: number
  readonly item: ShardItem
  /** Only the rows can tell what this needs. */
  readonly locked?: boolean
  /** It lost already: what it was taken to find was not so. */
  readonly lost?: boolean
}

/** By place in the batch; what is not answered yet is missing. */
export type Outcomes = (ShardAnswer | ItemFailure)[]

/** The timer that brought a command, if one did. It means something only while its row stands. */
export const timerOf = ({ command }: ShardItem): number | undefined =>
  'timerId' in command ? command.timerId : undefined

/** The timer that brought it has been called off. `existing`: those of its batch that have not. */
export function isCalledOff(item: ShardItem, existing: ReadonlySet<number>): boolean {
  const timerId = timerOf(item)
  return timerId !== undefined && !existing.has(timerId)
}

/** The lease that a command must prove, if it is about one. */
export function leaseOf(item: ShardItem): { taskId: string; lease: LeaseProof } | undefined {
  const { command } = item
  return command.kind === 'succeed' || command.kind === 'fail' || command.kind === 'expire'
    ? { taskId: command.taskId, lease: command.lease }
    : undefined
}
