import type { MapPlace } from '../../src/db/map-groups.js'
import type { RunTransaction, Store } from '../../src/engine/store.js'
import type { Faults } from './faults.js'
import { groupKey } from './model/group-model.js'
import { type OperationName, operations } from './model/operations.js'
import type { TableName, Tables } from './model/tables.js'
import { Blocked, OpenTransaction, type SimDatabase } from './sim-database.js'
import type { Actor, World } from './world.js'

const connectionLost = () => Object.assign(new Error('the connection was lost'), { code: 'ECONNRESET' })

const writes: ReadonlySet<OperationName> = new Set<OperationName>([
  'writeBatch',
  'leaseTasks',
  'handBackTasks',
  'requeueLostTasks',
  'extendSession',
  'recordLiveness',
  'releaseDeferred',
  'leaseLimited',
  'unpark',
  'unparkAll',
  'claimChildRequest',
  'setSessionState',
  'restoreLostQueueRows',
  'removeDeadQueueRows',
])

/** Lock their groups in a statement before: what they do then has a snapshot of its own. */
function locksFirst(name: OperationName): boolean {
  return name === 'recountMap'
}

type Fate = 'done' | 'before' | 'after'

/** One replica's way to the database: each statement takes its time there and back, and either way may fail. */
export class SimConnection {
  constructor(
    private readonly world: World,
    private readonly database: SimDatabase,
    private readonly owner: Actor,
    private readonly faults: () => Faults,
    private readonly hear: (payload: string) => void,
  ) {}

  store(): Store {
    const call = (name: OperationName) => [name, (...args: unknown[]) => this.call(name, args)]
    return {
      ...Object.fromEntries((Object.keys(operations) as OperationName[]).map(call)),
      transaction: <T>(work: (tx: RunTransaction) => Promise<T>) => this.transaction(work),
    } as Store
  }

  private latency(): number {
    const { chance } = this.world
    return chance.bool(this.faults().slowStatement) ? chance.skewed(2500) : chance.between(0.1, 2)
  }

  private fate(): Fate {
    const { chance } = this.world
    const { failBefore, failAfter } = this.faults()
    return chance.bool(failBefore) ? 'before' : chance.bool(failAfter) ? 'after' : 'done'
  }

  private call(name: OperationName, args: readonly unknown[]): Promise<unknown> {
    const fate = this.fate()
    return this.travel(name, fate, (answer) => {
      const { chance } = this.world
      if (writes.has(name) && !locksFirst(name) && chance.bool(this.faults().oldSnapshot)) {
        const seen = this.database.snapshot()
        this.world.after(chance.between(0.1, 5), null, '', () => this.attempt(name, args, seen, answer))
      } else this.attempt(name, args, null, answer)
    })
  }

  /** Runs now, or once whoever holds a row that it needs has ended. Its snapshot stays that of its beginning. */
  private attempt(
    name: OperationName,
    args: readonly unknown[],
    seen: Tables | null,
    answer: (result: unknown) => void,
  ): void {
    const result = this.database.execute(name, args, seen)
    if (name === 'notifyReplicas') this.hear(String(args[0]))
    if (!(result instanceof Blocked)) {
      answer(result)
      return
    }
    const snapshot = seen ?? (locksFirst(name) ? null : this.database.snapshot())
    this.world.note(`${this.owner.name} ${name} waits for a lock`)
    this.database.whenEnded(result.by, () =>
      this.world.after(this.world.chance.between(0, 1), null, '', () => this.attempt(name, args, snapshot, answer)),
    )
  }

  /** There, done or not, and back. What was under way when its owner died may have arrived. */
  private travel<T>(label: string, fate: Fate, arrive: (answer: (result: T) => void) => void): Promise<T> {
    const { world, owner } = this
    return new Promise((resolve, reject) => {
      const name = `${owner.name} ${label}`
      world.after(this.latency() / 2, null, name, () => {
        if (fate === 'before' || (!owner.alive && world.chance.bool(0.5))) {
          world.after(this.latency() / 2, owner, `${name} failed`, () => reject(connectionLost()))
          return
        }
        arrive((result) => {
          const back = this.latency() / 2
          if (fate === 'after') world.after(back, owner, `${name} lost`, () => reject(connectionLost()))
          else world.after(back, owner, '', () => resolve(result))
        })
      })
    })
  }

  private async transaction<T>(work: (tx: RunTransaction) => Promise<T>): Promise<T> {
    const open = new OpenTransaction()
    this.watchOwner(open)
    let result: T
    try {
      result = await work(this.transactionStore(open))
    } catch (error) {
      this.database.end(open)
      throw error
    }
    const fate = this.fate()
    try {
      await this.travel('commit', fate, (answer) => {
        this.database.commit(open)
        answer(undefined)
      })
    } finally {
      this.database.end(open)
    }
    return result
  }

  /** The database notices sooner or later that the other end of a transaction is gone. */
  private watchOwner(open: OpenTransaction): void {
    this.world.after(200, null, '', () => {
      if (open.ended) return
      if (this.owner.alive) this.watchOwner(open)
      else this.database.end(open)
    })
  }

  private transactionStore(open: OpenTransaction): RunTransaction {
    const inside = (name: OperationName) =>
      ((...args: unknown[]) =>
        this.travel(`tx ${name}`, this.txFate(), (answer) =>
          answer(this.database.executeIn(open, name, args)),
        )) as never
    return {
      loadRunRows: inside('loadRunRows'),
      loadTaskRows: inside('loadTaskRows'),
      loadPayloads: inside('loadPayloads'),
      loadSignals: inside('loadSignals'),
      findExistingTimers: inside('findExistingTimers'),
      loadAdmission: inside('loadAdmission'),
      findOpenRuns: inside('findOpenRuns'),
      lockRun: (runId) => this.lockRun(open, runId),
      lockMaps: (places) => this.lockMaps(open, places),
      loadItems: inside('loadItems'),
      writeBatch: inside('writeLocked'),
    }
  }

  /** Inside a transaction a failure of any kind undoes it. */
  private txFate(): Fate {
    return this.fate() === 'before' ? 'before' : 'done'
  }

  private lockStep(open: OpenTransaction, label: string, table: TableName, keys: () => string[]): Promise<void> {
    return this.travel<void>(`tx ${label}`, this.txFate(), (answer) => {
      const tryLock = () => {
        const blocked = this.database.lock(open, table, keys())
        if (blocked) this.database.whenEnded(blocked.by, () => this.world.after(0.1, null, '', tryLock))
        else answer()
      }
      tryLock()
    })
  }

  private async lockMaps(open: OpenTransaction, places: readonly MapPlace[]): Promise<number> {
    const { live } = this.database
    const isOpen = (key: string) => live.get('map_groups', key)?.closed_at === null
    await this.lockStep(open, 'lock maps', 'map_groups', () => places.map(groupKey).filter(isOpen))
    return new Set(places.map(groupKey).filter(isOpen)).size
  }

  /** Three statements that lock, and one that reads. */
  private async lockRun(open: OpenTransaction, runId: string) {
    const { live } = this.database
    const lockStep = (label: string, table: TableName, keys: () => string[]) => this.lockStep(open, label, table, keys)
    await lockStep('lock run', 'runs', () => [runId])
    if (!live.get('runs', runId)) return undefined
    await lockStep('lock maps', 'map_groups', () =>
      [...live.all('map_groups')].filter(({ run_id }) => run_id === runId).map(groupKey),
    )
    await lockStep('lock queue', 'task_queue', () =>
      [...live.all('task_queue')]
        .filter(({ run_id, child }) => run_id === runId && !child)
        .map(({ task_id }) => task_id),
    )
    await lockStep('lock tasks', 'tasks', () =>
      [...live.all('tasks')]
        .filter(
          ({ run_id, idx, status }) => run_id === runId && idx === -1 && (status === 'queued' || status === 'running'),
        )
        .map(({ id }) => id),
    )
    return this.travel<Awaited<ReturnType<RunTransaction['lockRun']>>>('tx read', this.txFate(), (answer) =>
      answer(this.database.executeIn(open, 'lockRun', [runId]) as never),
    )
  }
}
