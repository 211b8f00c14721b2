import type { BatchRows } from '../../src/db/batch/clauses.js'
import type { SlotKey } from '../../src/db/limits/slots.js'
import type { MapPlace } from '../../src/db/map-groups.js'
import type { HeldTask } from '../../src/db/requeue-tasks.js'
import type { DequeueRequest } from '../../src/domain/queue.js'
import type { Chance } from './chance.js'
import { admissionsOf } from './model/admission-model.js'
import { groupKey } from './model/group-model.js'
import { lostTasks, picked, turn } from './model/lease-model.js'
import { type OperationName, operations } from './model/operations.js'
import { Statement } from './model/statement.js'
import { type TableName, Tables } from './model/tables.js'

/** An open transaction: its locks, and what it has written but not committed. */
export class OpenTransaction {
  readonly locks = new Set<string>()
  readonly journal: NonNullable<Tables['journal']> = []
  ended = false
}

export interface Executed {
  readonly name: OperationName
  readonly args: readonly unknown[]
  readonly now: number
}

/** A statement found a row that someone else's transaction holds. */
export class Blocked {
  constructor(readonly by: OpenTransaction) {}
}

const locksOnWrite: ReadonlySet<TableName> = new Set<TableName>(['run_admissions', 'task_queue', 'tasks'])

const rowKey = (table: TableName, key: string): string => `${table}/${key}`

/** The one database of a simulation: the model's tables, and locks between statements and open transactions. */
export class SimDatabase {
  readonly live = new Tables()
  private readonly holders = new Map<string, OpenTransaction>()
  private readonly waiters = new Map<OpenTransaction, (() => void)[]>()
  /** Told of every statement that took effect, in that order. */
  executed: ((statement: Executed) => void) | null = null

  constructor(
    private readonly chance: Chance,
    private readonly clock: () => number,
  ) {
    this.live.pulse = clock()
  }

  snapshot(): Tables {
    return new Tables(this.live)
  }

  /** Undoes everything since then, as a crash of a database that lied about its commit would. */
  restore(to: Tables): void {
    this.live.become(to)
  }

  /** A single statement, its own transaction. */
  execute(name: OperationName, args: readonly unknown[], seen: Tables | null): unknown {
    const now = this.clock()
    const statement = this.statement(seen ?? this.live, this.live, now)
    const by = this.holderOf(this.rowsToLock(statement, name, args), null)
    if (by) return new Blocked(by)
    const result = this.apply(statement, name, args)
    this.executed?.({ name, args, now })
    return result
  }

  /** A statement of an open transaction: sees what that has written. */
  executeIn(tx: OpenTransaction, name: OperationName, args: readonly unknown[]): unknown {
    const view = tx.journal.length > 0 || name === 'writeLocked' ? this.viewOf(tx) : this.live
    const result = this.apply(this.statement(view, view, this.clock()), name, args)
    // Of what it writes without having locked it before, these are what others change too: map items and their places in
    // the queue, which the statement locks itself, and places in the admission queue.
    for (const { table, key } of tx.journal) if (locksOnWrite.has(table)) this.lock(tx, table, [key])
    return result
  }

  /** Locks the rows of one step, or says who holds one. */
  lock(tx: OpenTransaction, table: TableName, keys: readonly string[]): Blocked | null {
    if (tx.ended) return null
    const rows = keys.map((key) => rowKey(table, key))
    const by = this.holderOf(rows, tx)
    if (by) return new Blocked(by)
    for (const row of rows) {
      tx.locks.add(row)
      this.holders.set(row, tx)
    }
    return null
  }

  commit(tx: OpenTransaction): void {
    if (!tx.ended) this.live.replay(tx.journal)
    this.end(tx)
  }

  end(tx: OpenTransaction): void {
    tx.ended = true
    for (const row of tx.locks) if (this.holders.get(row) === tx) this.holders.delete(row)
    tx.locks.clear()
    const waiting = this.waiters.get(tx) ?? []
    this.waiters.delete(tx)
    for (const wake of waiting) wake()
  }

  whenEnded(tx: OpenTransaction, wake: () => void): void {
    if (tx.ended) wake()
    else this.waiters.set(tx, [...(this.waiters.get(tx) ?? []), wake])
  }

  private viewOf(tx: OpenTransaction): Tables {
    const view = new Tables(this.live)
    view.replay(tx.journal)
    view.journal = tx.journal
    return view
  }

  private statement(seen: Tables, live: Tables, now: number): Statement {
    const locked = (table: TableName, key: string) => this.holders.has(rowKey(table, key))
    return new Statement(seen, live, now, () => this.chance.uuid(), locked)
  }

  private apply(statement: Statement, name: OperationName, args: readonly unknown[]): unknown {
    const operation = operations[name] as (s: Statement, ...args: unknown[]) => unknown
    if (!operation) throw new Error(`the model does not know ${name}`)
    return operation(statement, ...args)
  }

  private holderOf(rows: readonly string[], but: OpenTransaction | null): OpenTransaction | null {
    if (this.holders.size === 0) return null
    for (const row of rows) {
      const holder = this.holders.get(row)
      if (holder && holder !== but) return holder
    }
    return null
  }

  /** The rows that a statement waits for. */
  private rowsToLock(s: Statement, name: OperationName, args: readonly unknown[]): string[] {
    if (this.holders.size === 0) return []
    switch (name) {
      case 'writeBatch': {
        const [rows, dequeue] = args as [BatchRows, DequeueRequest]
        return [
          ...rows.runChanges.map(({ runId }) => rowKey('runs', runId)),
          ...[...rows.itemChanges, ...rows.slices].map(({ runId, ordinal }) =>
            rowKey('map_groups', `${runId}/${ordinal}`),
          ),
          ...rows.guards.map(({ taskId }) => rowKey('tasks', taskId)),
          ...rows.taskChanges.map(({ id }) => rowKey('tasks', id)),
          ...picked(s, turn(s, dequeue)).map(({ task_id }) => rowKey('tasks', task_id)),
        ]
      }
      case 'recountMap':
        return [rowKey('map_groups', groupKey(args[0] as MapPlace))]
      case 'admitRuns':
        return admissionsOf(s, args[0] as SlotKey).map(({ run_id }) => rowKey('run_admissions', run_id))
      case 'leaseTasks':
        return picked(s, turn(s, args[0] as DequeueRequest)).map(({ task_id }) => rowKey('tasks', task_id))
      case 'leaseLimited':
        return turn(s, args[0] as DequeueRequest, [0, 1]).map(({ task_id }) => rowKey('tasks', task_id))
      case 'handBackTasks': {
        const held = (args[0] as HeldTask[]).flatMap(({ taskId }) => s.seen.get('tasks', taskId) ?? [])
        return held.flatMap(({ id, run_id }) => [rowKey('runs', run_id), rowKey('tasks', id)])
      }
      case 'releaseDeferred':
        return [...s.seen.all('held_back')]
          .filter(({ until }) => until <= s.now)
          .map(({ run_id }) => rowKey('runs', run_id))
      case 'requeueLostTasks':
        return lostTasks(s, args[0] as number).map(({ run_id }) => rowKey('runs', run_id))
      default:
        return []
    }
  }
}
