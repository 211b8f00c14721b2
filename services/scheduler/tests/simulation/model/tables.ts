import type { MapEnding } from '../../../src/domain/effects.js'
import type { RunStatus } from '../../../src/domain/run-state.js'
import type { TaskStatus } from '../../../src/domain/task-state.js'

/** Rows carry the names of their columns. Times are milliseconds; users' values are JSON text. */
export interface RunTuple {
  id: string
  project_id: string
  workflow_id: string | null
  workflow: string
  version: number
  version_id: string
  status: RunStatus
  reason: string | null
  rev: number
  generation: number
  priority: number
  labels: string
  requested_by: string
  traceparent: string | null
  origin: string | null
  queue_defaults: string | null
  input: string | null
  output: string | null
  error: string | null
  created_at: number
  started_at: number | null
  finished_at: number | null
}

export interface TaskTuple {
  id: string
  run_id: string
  project_id: string
  ordinal: number
  key: string
  idx: number
  name: string
  uses: string
  queue: string
  priority: number
  status: TaskStatus
  rev: number
  attempt: number
  max_attempts: number
  timeout_ms: number | null
  losses: number
  holds_slots: boolean
  token: number
  lease_id: string | null
  session_id: string | null
  worker_id: string | null
  deadline_at: number | null
  error: string | null
  queued_at: number | null
  started_at: number | null
  finished_at: number | null
}

export interface PayloadTuple {
  task_id: string
  input: string | null
  output: string | null
  artifact_id: string | null
  artifact_size: number | null
}

export interface QueueTuple {
  task_id: string
  run_id: string
  project_id: string
  queue: string
  uses: string
  priority: number
  position: number
  child: boolean
  /** 0 without limits, 1 limited and ready, 2 parked. */
  part: number
  parked_scope: string | null
  parked_key: string | null
  parked_limit: number | null
  parked_per_ms: number | null
}

export interface SlotTuple {
  project_id: string
  scope: string
  key: string
  in_use: number
  starts: string | null
  idle_at: number
}

export interface SlotHoldTuple {
  task_id: string
  project_id: string
  scope: string
  key: string
}

export interface TaskLimitsTuple {
  task_id: string
  limits: string
}

export interface TimerTuple {
  id: number
  run_id: string
  task_id: string | null
  kind: string
  due_at: number
  tries: number
}

export interface InboxTuple {
  id: number
  run_id: string
  command: string
  dedupe_key: string
  created_at: number
}

export interface SessionTuple {
  id: string
  secret_hash: string
  project_id: string | null
  worker_id: string
  name: string
  executors: readonly string[]
  queues: readonly string[]
  concurrency: number
  sdk: string
  state: 'active' | 'paused' | 'draining' | 'ended'
  until: number
  created_at: number
  version: string
  seen_at: number
  ended_at: number | null
  lost: boolean
  owner: string | null
}

export interface AttemptFailureTuple {
  task_id: string
  attempt: number
  at: number
  worker_id: string | null
  error: string
}

export interface DeadLetterTuple {
  id: string
  project_id: string
  run_id: string
  task_id: string
  class: string
  error: string
  state: string
  at: number
}

export interface SignalTuple {
  id: string
  run_id: string
  name: string
  payload: string
  position: number
}

export interface ChildTuple {
  task_id: string
  run_id: string
}

export interface DeferredTuple {
  task_id: string
  run_id: string
  until: number
  detail: string
}

export interface QueueSettingsTuple {
  project_id: string
  name: string
  paused: boolean
  concurrency: number | null
  rate_limit: number | null
  rate_per_ms: number | null
  weight: number | null
  profile: 'latency' | 'throughput' | 'batch' | null
  defaults: string | null
  updated_at: number
}

/** The items of one map of a run. */
export interface MapGroupTuple {
  run_id: string
  ordinal: number
  task_id: string
  project_id: string
  items: string
  total: number
  max_parallel: number
  run_rev: number
  round: number
  made: number
  open: number
  output_bytes: number
  paused: boolean
  ending: MapEnding | null
  ending_at: number | null
  closed_at: number | null
}

/** A place in the line for a workflow's limit. */
export interface AdmissionTuple {
  run_id: string
  id: number
  project_id: string
  key: string
  run_limit: number
  on_limit: 'queue' | 'cancel-new' | 'cancel-oldest'
  priority: number
  state: 'waiting' | 'admitted' | 'refused'
  leaving: boolean
}

export interface EventTuple {
  id: number
  topic: string
  key: string
  subject: string
  source: string
  time: number
  sequence: number
  traceparent: string | null
  /** Parsed. */
  data: Record<string, unknown>
}

export interface Rows {
  runs: RunTuple
  tasks: TaskTuple
  task_payloads: PayloadTuple
  task_queue: QueueTuple
  timers: TimerTuple
  run_inbox: InboxTuple
  sessions: SessionTuple
  attempt_failures: AttemptFailureTuple
  dead_letters: DeadLetterTuple
  run_signals: SignalTuple
  child_runs: ChildTuple
  held_back: DeferredTuple
  queues: QueueSettingsTuple
  slots: SlotTuple
  slot_holds: SlotHoldTuple
  task_limits: TaskLimitsTuple
  map_groups: MapGroupTuple
  run_admissions: AdmissionTuple
  events: EventTuple
}
export type TableName = keyof Rows

export const tableNames: readonly TableName[] = [
  'runs',
  'tasks',
  'task_payloads',
  'task_queue',
  'timers',
  'run_inbox',
  'sessions',
  'attempt_failures',
  'dead_letters',
  'run_signals',
  'child_runs',
  'held_back',
  'queues',
  'slots',
  'slot_holds',
  'task_limits',
  'map_groups',
  'run_admissions',
  'events',
]

type Change<N extends TableName = TableName> = {
  table: N
  key: string
  before: Rows[N] | undefined
  row: Rows[N] | undefined
}
export type Watcher = (table: TableName, before: unknown, after: unknown) => void

const sequences = ['timers', 'run_inbox', 'task_queue', 'run_signals', 'run_admissions', 'events'] as const
type Sequence = (typeof sequences)[number]
const noneDrawn = () => Object.fromEntries(sequences.map((name) => [name, 0])) as Record<Sequence, number>

/** All tables. A row is never changed in place, so that a copy of the maps is a snapshot. */
export class Tables {
  private readonly maps: { [N in TableName]: Map<string, Rows[N]> }
  private readonly sequences: Record<Sequence, number>
  /** When a scheduler last looked after the leases. */
  pulse: number
  /** Nothing is reaped before then. */
  holdUntil: number
  /** Raised by whatever replicas keep in memory. */
  control: number
  journal: Change[] | null = null
  watcher: Watcher | null = null

  constructor(from?: Tables) {
    const copy = <N extends TableName>(name: N) => new Map<string, Rows[N]>(from?.maps[name])
    this.maps = Object.fromEntries(tableNames.map((name) => [name, copy(name)])) as unknown as Tables['maps']
    this.sequences = from ? from.sequences : noneDrawn()
    this.pulse = from?.pulse ?? 0
    this.holdUntil = from?.holdUntil ?? 0
    this.control = from?.control ?? 1
  }

  all<N extends TableName>(name: N): IterableIterator<Rows[N]> {
    return this.maps[name].values()
  }

  size(name: TableName): number {
    return this.maps[name].size
  }

  get<N extends TableName>(name: N, key: string | number): Rows[N] | undefined {
    return this.maps[name].get(String(key))
  }

  put<N extends TableName>(name: N, key: string | number, row: Rows[N]): void {
    const text = String(key)
    const before = this.maps[name].get(text)
    this.watcher?.(name, before, row)
    this.maps[name].set(text, row)
    this.journal?.push({ table: name, key: text, before, row })
  }

  remove(name: TableName, key: string | number): void {
    const text = String(key)
    const before = this.maps[name].get(text)
    this.watcher?.(name, before, undefined)
    this.maps[name].delete(text)
    this.journal?.push({ table: name, key: text, before, row: undefined })
  }

  /** As in PostgreSQL, a number that was drawn is never drawn again, also if its row came to nothing. */
  next(sequence: Sequence): number {
    this.sequences[sequence] += 1
    return this.sequences[sequence]
  }

  /** Holds from now on what the other holds. */
  become(other: Tables): void {
    for (const name of tableNames) {
      this.maps[name].clear()
      for (const [key, row] of other.maps[name]) this.maps[name].set(key, row as never)
    }
  }

  /** A copy that remembers what is done to it. */
  fork(): Tables {
    const copy = new Tables(this)
    copy.journal = []
    return copy
  }

  replay(journal: readonly Change[]): void {
    for (const { table, key, before, row } of journal) {
      if (row === undefined) this.remove(table, key)
      else if (table === 'slots') this.count(key, before as SlotTuple | undefined, row as SlotTuple)
      else this.put(table, key, row as never)
    }
  }

  /**
   * Slots are the one row that a transaction writes and had not locked before. PostgreSQL makes others wait for it and
   * then counts from what it left, so that the sum is the same as if each had counted by itself.
   */
  private count(key: string, before: SlotTuple | undefined, row: SlotTuple): void {
    const live = this.maps.slots.get(key)
    this.put('slots', key, { ...row, in_use: Math.max(0, (live?.in_use ?? 0) + row.in_use - (before?.in_use ?? 0)) })
  }
}
