import type { scheduler } from '@millrace/contracts'
import type { AppError } from '@millrace/errors'
import { EVERY_QUEUE } from '../../src/domain/queue.js'
import { executors } from './definitions.js'
import type { Faults } from './faults.js'
import { LEASE_MS, type Replica } from './replica.js'
import type { Actor, World } from './world.js'

type Lease = scheduler.Lease
type Result = scheduler.TaskResult

export interface WorkerWorld {
  readonly world: World
  faults(): Faults
  /** A replica that may or may not be alive. */
  anyReplica(): Replica
  /** A scheduler answered with what no scheduler may answer. */
  misbehaved(error: unknown): void
  /** Workers ask for more than they have slots for. */
  readonly leasesAhead: boolean
  count(what: string): void
  /** A worker was told what became of a result. */
  answered(result: Result, verdict: string): void
}

const CALL_TIMEOUT_MS = 3000
const SLOTS = 3
/** Of a worker that asks for more than it has slots for. */
const FEW_SLOTS = 1
/** A lease without a slot is handed back after so long. */
const WAIT_MS = 250
const POLL_MS = 800

/** Who calls in every simulation: the built-in worker. */
export const caller = { service: 'worker' }

const gone = () => Object.assign(new Error('the scheduler cannot be reached'), { code: 14 })

/** A worker process: leases, works, reports and beats, over a network that loses, repeats and delays. */
export class SimWorker implements Actor {
  alive = true
  frozenUntil = 0
  private session = { id: '', secret: '' }
  private readonly held = new Map<string, Lease>()
  private readonly executing = new Set<Lease>()
  /** Held, and without a slot. */
  private waiting: Lease[] = []
  private readonly finished: Result[] = []
  private readonly sent: Result[] = []
  private reporting = false
  /** Takes nothing more, and leaves when it has reported what it holds. */
  private draining = false
  private replica: Replica
  /** Whom the commands come from. */
  private commander: Replica

  constructor(
    readonly name: string,
    private readonly shared: WorkerWorld,
    private readonly skills: readonly string[] = executors,
  ) {
    this.replica = shared.anyReplica()
    this.commander = this.replica
    void this.live()
  }

  private async live(): Promise<void> {
    const { world } = this.shared
    for (;;) {
      try {
        await this.enlist()
        void this.beat(this.session.id)
        await this.serve(this.session.id)
      } catch {
        await world.sleep(world.chance.between(20, 200), this, '')
      }
    }
  }

  private async enlist(): Promise<void> {
    this.held.clear()
    this.executing.clear()
    this.waiting = []
    this.finished.length = 0
    this.draining = false
    const request = {
      name: 'sim',
      executors: [...this.skills],
      queues: [EVERY_QUEUE],
      concurrency: SLOTS,
      sdk: 'sim',
      version: '1',
      paused: false,
    }
    const answer = await this.call('register', (to) => to.register(request as never, caller as never))
    this.session = { id: answer.sessionId ?? '', secret: answer.sessionSecret ?? '' }
    this.listen()
  }

  /** Asks for leases as long as the session lives. */
  private async serve(sessionId: string): Promise<void> {
    while (this.session.id === sessionId) {
      if (this.draining && this.held.size === 0 && this.finished.length === 0) return this.leave()
      const free = SLOTS - this.held.size
      if (this.draining || free === 0 || this.finished.length > 0) {
        await this.shared.world.sleep(20, this, '')
        continue
      }
      const { signal } = new AbortController()
      const deadline = this.shared.world.wallMs + CALL_TIMEOUT_MS
      const terms = { ...caller, signal, draining: signal, deadline }
      const request = { session: this.session, max: free, waitMs: POLL_MS }
      const { leases } = await this.call('lease', (to) => to.leaseTasks(request as never, terms as never)).catch(
        (error: unknown) => this.endedOr(error, { leases: [] as Lease[] }),
      )
      for (const lease of leases ?? []) this.take(lease)
      if (!leases?.length) await this.shared.world.sleep(5, this, '')
    }
  }

  /** Somebody starts another in its place, whether or not its farewell arrived. */
  private async leave(): Promise<void> {
    const { session } = this
    await this.call('deregister', (to) => to.deregister({ session } as never, caller as never)).catch(() => undefined)
    this.session = { id: '', secret: '' }
  }

  private take(lease: Lease): void {
    this.held.set(lease.leaseId ?? '', lease)
    if (this.shared.leasesAhead && this.executing.size >= FEW_SLOTS) this.wait(lease)
    else this.begin(lease)
  }

  private wait(lease: Lease): void {
    this.waiting.push(lease)
    this.shared.count('a lease waited for a slot')
    this.shared.world.after(WAIT_MS, this, `${this.name} hands back what waited`, () => {
      if (!this.waiting.includes(lease)) return
      this.shared.count('a lease waited for too long')
      this.finish(lease, { outcome: 'OUTCOME_HANDED_BACK' })
    })
  }

  /** It executes no more, or waits no more: the next may begin. */
  private release(lease: Lease): void {
    this.executing.delete(lease)
    this.waiting = this.waiting.filter((one) => one !== lease)
    if (this.executing.size >= FEW_SLOTS) return
    const next = this.waiting.shift()
    if (next) this.begin(next)
  }

  private begin(lease: Lease): void {
    const { world } = this.shared
    const { chance } = world
    this.executing.add(lease)
    const faults = this.shared.faults()
    if (chance.bool(faults.handBack)) {
      const wait = chance.bool(0.5) ? { retryAfterMs: chance.int(1, 3000), handBackReason: 'circuit' } : {}
      this.finish(lease, { outcome: 'OUTCOME_HANDED_BACK', ...wait })
      this.workOn(lease)
      return
    }
    const wanted = chance.bool(0.1) ? chance.between(500, 3000) : chance.skewed(400)
    const limit = Number(lease.timeoutMs ?? 0)
    const timesOut = limit > 0 && wanted > limit && chance.bool(0.7)
    const late = chance.bool(faults.lateReport) ? chance.between(0, LEASE_MS * 2) : 0
    world.after((timesOut ? limit : wanted) + late, this, `${this.name} finishes`, () => {
      if (this.held.get(lease.leaseId ?? '') !== lease) return
      if (timesOut) this.finish(lease, failed('timeout'))
      else if (chance.bool(0.25)) this.finish(lease, failed(chance.pick(['network', 'user', 'validation', 'http_4xx'])))
      else {
        const output = JSON.stringify({ by: lease.leaseId, attempt: lease.attempt })
        this.finish(lease, { outcome: 'OUTCOME_SUCCEEDED', outputJson: output })
      }
    })
  }

  private lose(leaseId: string): void {
    const lease = this.held.get(leaseId)
    this.held.delete(leaseId)
    if (!lease) return
    this.release(lease)
    this.workOn(lease)
  }

  /** Gave a lease back, or was told that it lost it, and reports on it all the same. */
  private workOn({ taskId, runId, token, leaseId, attempt }: Lease): void {
    const { world } = this.shared
    const { chance } = world
    if (!chance.bool(this.shared.faults().staleReport * 2)) return
    const outputJson = JSON.stringify({ by: leaseId, attempt })
    const result = { taskId, runId, token, leaseId, durationMs: 1, outcome: 'OUTCOME_SUCCEEDED', outputJson } as Result
    world.after(chance.skewed(LEASE_MS), this, `${this.name} reports on a lease it lost`, () => {
      void this.send([result], 0).catch(() => undefined)
    })
  }

  private finish(lease: Lease, outcome: Partial<Result>): void {
    const { taskId, runId, token, leaseId } = lease
    this.finished.push({ taskId, runId, token, leaseId, durationMs: 1, ...outcome } as Result)
    this.release(lease)
    void this.report()
  }

  /** One report at a time; what is not answered is sent again, as long as the session lives. */
  private async report(): Promise<void> {
    if (this.reporting) return
    this.reporting = true
    const { world } = this.shared
    while (this.finished.length > 0) {
      const results = [...this.finished]
      try {
        await this.send(results, world.chance.int(0, 2))
        for (const result of results)
          if (this.finished.includes(result)) this.finished.splice(this.finished.indexOf(result), 1)
      } catch (error) {
        this.hasEnded(error)
        await world.sleep(world.chance.between(10, 100), this, '')
      }
    }
    this.reporting = false
  }

  private async send(results: Result[], want: number): Promise<void> {
    const { world } = this.shared
    const { session } = this
    const request = { session, results: results.map(complete), want }
    const answer = await this.call('report', (to) => to.reportResults(request as never, caller as never))
    answer.verdicts?.forEach((verdict, i) => {
      const result = results[i]
      if (result) this.shared.answered(result, String(verdict))
    })
    for (const { leaseId } of results) this.held.delete(leaseId ?? '')
    for (const lease of answer.leases ?? []) this.take(lease)
    this.sent.push(...results)
    if (this.sent.length > 0 && world.chance.bool(this.shared.faults().staleReport)) this.repeatLater()
  }

  /** An old report once more, as it was or with another token. */
  private repeatLater(): void {
    const { world } = this.shared
    const { chance } = world
    const old = chance.pick(this.sent)
    const token = Number(old.token) + chance.pick([0, 0, -1, 1])
    world.after(chance.skewed(LEASE_MS * 3), this, `${this.name} repeats a report`, () => {
      void this.send([{ ...old, token }], 0).catch(() => undefined)
    })
  }

  private async beat(sessionId: string): Promise<void> {
    const { world } = this.shared
    while (this.session.id === sessionId) {
      await world.sleep(LEASE_MS / 4, this, '')
      if (!this.commander.alive) this.listen()
      if (world.chance.bool(this.shared.faults().loseHeartbeat)) continue
      const held = [...this.held.values()].map(({ taskId, leaseId }) => ({ taskId, leaseId }))
      const request = { session: this.session, held, requestedState: '' }
      try {
        const answer = await this.call('heartbeat', (to) => to.heartbeat(request as never, caller as never))
        for (const lost of answer.lostLeaseIds ?? []) this.lose(lost)
      } catch (error) {
        this.hasEnded(error)
      }
    }
  }

  /** The commands stream: asks to stop come at once, or not at all. */
  private listen(): void {
    const { world } = this.shared
    const { replica, session } = this
    this.commander = replica
    const follow = async () => {
      for await (const command of replica.engine.control.listen(session.id, new AbortController().signal)) {
        world.after(world.chance.between(0.2, 5), this, `${this.name} is told to ${command.kind}`, () => {
          if (command.kind === 'drain' && this.session.id === session.id) this.draining = true
          const lease = command.kind === 'cancel' ? this.held.get(command.leaseId) : undefined
          if (lease && world.chance.bool(0.7)) this.finish(lease, failed('cancelled'))
        })
      }
    }
    // A stream that breaks is opened again, as a worker does: it may have missed that it is to drain.
    follow().catch(() =>
      world.after(world.chance.between(20, 200), this, '', () => {
        if (this.session.id === session.id) this.listen()
      }),
    )
  }

  private endedOr<T>(error: unknown, otherwise: T): T {
    this.hasEnded(error)
    return otherwise
  }

  private hasEnded(error: unknown): boolean {
    const ended = (error as AppError).reason === 'session_ended'
    if (ended) this.session = { id: '', secret: '' }
    return ended
  }

  /** A request and its answer; either may get lost, and a request may arrive twice. */
  private call<T>(label: string, ask: (to: Replica) => Promise<T>): Promise<T> {
    const { world } = this.shared
    const { chance } = world
    const faults = this.shared.faults()
    if (!this.replica.alive || chance.bool(0.02)) this.replica = this.shared.anyReplica()
    const { replica } = this
    const delay = () => (chance.bool(faults.lateMessage) ? chance.skewed(1500) : chance.between(0.2, 2))
    return new Promise<T>((resolve, reject) => {
      const callOff = world.after(CALL_TIMEOUT_MS, this, '', () => reject(gone()))
      const settle = (how: () => void) => {
        callOff()
        how()
      }
      const arrive = () => {
        const lost = chance.bool(faults.loseMessage)
        ask(replica).then(
          (answer) => lost || world.after(delay(), this, '', () => settle(() => resolve(answer))),
          (error: unknown) => {
            if (error instanceof TypeError) this.shared.misbehaved(error)
            if (!lost) world.after(delay(), this, '', () => settle(() => reject(error)))
          },
        )
      }
      if (!replica.alive) world.after(delay(), this, '', () => reject(gone()))
      else if (!chance.bool(faults.loseMessage))
        world.after(delay(), replica, `${this.name} ${label} ${replica.name}`, arrive)
      if (chance.bool(faults.duplicateMessage)) {
        world.after(chance.skewed(3000), replica, `${this.name} ${label} ${replica.name} again`, () => {
          ask(replica).catch(() => undefined)
        })
      }
    })
  }
}

const failed = (errorClass: string): Partial<Result> => ({
  outcome: 'OUTCOME_FAILED',
  error: { code: 'simulated', message: 'failed', class: errorClass, retryable: errorClass === 'user' },
})

/** As it comes out of the wire, with all fields set. */
const complete = (result: Result): Result => ({
  outputJson: '',
  error: null,
  retryAfterMs: 0,
  handBackReason: '',
  ...result,
})
