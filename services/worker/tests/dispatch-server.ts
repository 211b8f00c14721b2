import { randomUUID } from 'node:crypto'
import { dispatchDefinition, type scheduler } from '@millrace/contracts'
import { type AppError, toAppError, unauthenticated } from '@millrace/errors'
import { type CallContext, createGrpcServer, type GrpcServer, type HandlersOf } from '@millrace/grpc'
import { testLogger, testService } from '@millrace/testkit'

const { Work: _work, ...calls } = dispatchDefinition.definition
const older = { ...dispatchDefinition, definition: calls } as typeof dispatchDefinition

type Lease = scheduler.Lease
type Result = scheduler.TaskResult__Output

interface TestSession {
  id: string
  secret: string
  /** Granted and not yet answered for. */
  leases: Map<string, Lease>
  commands: scheduler.CommandsResponse[]
  wakeCommands: () => void
}

type Method = 'register' | 'leaseTasks' | 'heartbeat' | 'reportResults' | 'deregister'

/** The scheduler's side of Dispatch with a queue in memory, over a real listener that can go away and come back. */
export class DispatchServer {
  readonly sessions = new Map<string, TestSession>()
  readonly registrations: scheduler.RegisterRequest__Output[] = []
  readonly heartbeats: scheduler.HeartbeatRequest__Output[] = []
  /** Accepted results by task id, in order of arrival: more than one of a lease means that it was accepted twice. */
  readonly accepted = new Map<string, Result[]>()
  /** How many leases went back to the queue. */
  handedBack = 0
  readonly reports: { results: Result[]; want: number }[] = []
  readonly faults: { method: Method; error: AppError; afterEffect?: boolean }[] = []
  readonly lost = new Set<string>()
  /** Sessions that ended themselves. */
  readonly deregistered: string[] = []
  heartbeatMs = 100
  /** Leases given beyond what was asked for. */
  excess = 0
  openPolls = 0
  maxOpenPolls = 0
  maxGranted = 0
  polls = 0
  commandStreams = 0
  /** Not so in a scheduler from before `Work`. */
  hasStream = true
  /** Messages that came on streams, and streams. */
  messages = 0
  workStreams = 0
  /** Tasks whose results are taken and never answered for. */
  readonly silent = new Set<string>()
  /** Ends every open stream with an error; calls go on. */
  breakStreams: () => void = () => undefined
  private queue: Lease[] = []
  private wakes = new Set<() => void>()
  private server: GrpcServer | undefined
  port = 0

  async start(): Promise<void> {
    const handlers: HandlersOf<typeof dispatchDefinition> = {
      register: async (request) => this.answer('register', () => this.register(request)),
      leaseTasks: async (request, ctx) => this.leaseTasks(request, AbortSignal.any([ctx.signal, ctx.draining])),
      heartbeat: async (request) => this.answer('heartbeat', () => this.heartbeat(request)),
      reportResults: async (request) => this.answer('reportResults', () => this.report(request)),
      deregister: async (request) => this.answer('deregister', () => this.deregister(request)),
      work: (ctx) => this.work(ctx),
      commands: (request, ctx) => this.commands(request, AbortSignal.any([ctx.signal, ctx.draining])),
    }
    this.server = createGrpcServer({
      service: 'scheduler',
      logger: testLogger,
      auth: { kind: 'internal', identity: testService('scheduler') },
      services: [{ definition: this.hasStream ? dispatchDefinition : older, handlers }],
    })
    this.port = await this.server.start('127.0.0.1', this.port)
  }

  /** Without `graceMs` the listener is cut like a killed process. */
  async stop(graceMs = 0): Promise<void> {
    await this.server?.stop(graceMs)
    this.server = undefined
  }

  enqueue(...tasks: Partial<Lease>[]): string[] {
    const leases = tasks.map((task): Lease => {
      const given = { taskId: randomUUID(), runId: randomUUID(), projectId: randomUUID(), key: 'task', uses: 'noop' }
      return { ...given, attempt: 1, maxAttempts: 3, token: 1, inputJson: '{}', ...task }
    })
    this.queue.push(...leases)
    for (const wake of this.wakes) wake()
    return leases.map((lease) => lease.taskId ?? '')
  }

  get queued(): number {
    return this.queue.length
  }

  result(taskId: string | undefined): Result | undefined {
    return this.accepted.get(taskId ?? '')?.[0]
  }

  granted(taskId: string | undefined): Lease | undefined {
    for (const session of this.sessions.values()) {
      for (const lease of session.leases.values()) if (lease.taskId === taskId) return lease
    }
    return undefined
  }

  command(command: scheduler.CommandsResponse): void {
    for (const session of this.sessions.values()) {
      session.commands.push(command)
      session.wakeCommands()
    }
  }

  cancel(taskId: string | undefined, reason = 'asked to'): void {
    const lease = this.granted(taskId)
    if (!lease) throw new Error(`task ${taskId} is not granted`)
    this.command({ cancel: { taskId: lease.taskId ?? '', leaseId: lease.leaseId ?? '', reason } })
  }

  private answer<T>(method: Method, work: () => T): T {
    const at = this.faults.findIndex((fault) => fault.method === method)
    const [fault] = at === -1 ? [] : this.faults.splice(at, 1)
    if (fault && !fault.afterEffect) throw fault.error
    const result = work()
    if (fault) throw fault.error
    return result
  }

  private sessionOf(key: { id: string; secret: string } | null): TestSession {
    const session = this.sessions.get(key?.id ?? '')
    if (!session || session.secret !== key?.secret) throw unauthenticated('session_expired', 'The session is over')
    return session
  }

  private register(request: scheduler.RegisterRequest__Output): scheduler.RegisterResponse {
    this.registrations.push(request)
    const session: TestSession = {
      ...{ id: randomUUID(), secret: randomUUID(), leases: new Map(), commands: [] },
      wakeCommands: () => undefined,
    }
    this.sessions.set(session.id, session)
    const { heartbeatMs } = this
    return { sessionId: session.id, sessionSecret: session.secret, workerId: 'w1', leaseMs: 6_000, heartbeatMs }
  }

  private take(session: TestSession, max: number): Lease[] {
    const leases = this.queue.splice(0, max).map((lease) => ({ ...lease, leaseId: randomUUID() }))
    for (const lease of leases) session.leases.set(lease.leaseId, lease)
    this.maxGranted = Math.max(this.maxGranted, session.leases.size)
    return leases
  }

  private async leaseTasks(request: scheduler.LeaseTasksRequest__Output, signal: AbortSignal) {
    const session = this.sessionOf(request.session)
    this.polls++
    this.openPolls++
    this.maxOpenPolls = Math.max(this.maxOpenPolls, this.openPolls)
    try {
      return await this.waitForLeases(session, request, signal)
    } finally {
      this.openPolls--
    }
  }

  private async waitForLeases(session: TestSession, request: scheduler.LeaseTasksRequest__Output, signal: AbortSignal) {
    this.answer('leaseTasks', () => undefined)
    const deadline = Date.now() + request.waitMs
    while (this.queue.length === 0 && Date.now() < deadline && !signal.aborted) {
      await new Promise<void>((resolve) => {
        const done = () => {
          this.wakes.delete(done)
          clearTimeout(timer)
          resolve()
        }
        const timer = setTimeout(done, deadline - Date.now())
        this.wakes.add(done)
        signal.addEventListener('abort', done, { once: true })
      })
    }
    return { leases: signal.aborted ? [] : this.take(session, request.max + this.excess) }
  }

  private heartbeat(request: scheduler.HeartbeatRequest__Output): scheduler.HeartbeatResponse {
    this.sessionOf(request.session)
    this.heartbeats.push(request)
    const lostLeaseIds = request.held.map((held) => held.leaseId).filter((leaseId) => this.lost.has(leaseId))
    return { lostLeaseIds, leaseMs: 6_000 }
  }

  private deregister(request: scheduler.DeregisterRequest__Output): scheduler.DeregisterResponse {
    this.deregistered.push(this.sessionOf(request.session).id)
    return {}
  }

  private report(request: scheduler.ReportResultsRequest__Output): scheduler.ReportResultsResponse {
    const session = this.sessionOf(request.session)
    this.reports.push({ results: request.results, want: request.want })
    const verdicts = request.results.map((result): 'VERDICT_ACCEPTED' | 'VERDICT_STALE' => {
      const before = this.accepted.get(result.taskId) ?? []
      if (before.some((known) => known.leaseId === result.leaseId)) return 'VERDICT_ACCEPTED'
      const lease = session.leases.get(result.leaseId)
      if (!session.leases.delete(result.leaseId) || this.lost.has(result.leaseId)) return 'VERDICT_STALE'
      this.accepted.set(result.taskId, [...before, result])
      if (lease && result.outcome === 'OUTCOME_HANDED_BACK') this.requeue(lease, result)
      return 'VERDICT_ACCEPTED'
    })
    return { verdicts, leases: this.take(session, request.want) }
  }

  /** What is to be left alone for a while stays away. */
  private requeue({ leaseId: _leaseId, token, ...task }: Lease, { retryAfterMs }: Result): void {
    this.handedBack++
    if (retryAfterMs > 0) return
    this.queue.unshift({ ...task, token: Number(token) + 1 })
    for (const wake of this.wakes) wake()
  }

  private work(ctx: CallContext) {
    this.workStreams++
    const broken = new Promise<never>((_resolve, reject) => {
      const before = this.breakStreams
      this.breakStreams = () => {
        before()
        reject(unauthenticated('invalid_token', 'The token of the stream expired'))
      }
    })
    broken.catch(() => undefined)
    const open = new Map<number, AbortController>()
    ctx.signal.addEventListener('abort', () => {
      for (const each of open.values()) each.abort()
    })
    return async ({ id, ...request }: scheduler.WorkRequest__Output): Promise<scheduler.WorkResponse | undefined> => {
      if (request.cancel) {
        open.get(id)?.abort()
        return undefined
      }
      this.messages++
      const cancel = new AbortController()
      open.set(id, cancel)
      try {
        return await Promise.race([
          this.answerMessage(id, request, AbortSignal.any([cancel.signal, ctx.draining])),
          broken,
        ])
      } catch (error) {
        if (toAppError(error).reason === 'invalid_token') throw error
        const { code, reason, message, retryable } = toAppError(error)
        return { id, failure: { code, reason, message, retryable } }
      }
    }
  }

  private async answerMessage(
    id: number,
    { report, lease }: Omit<scheduler.WorkRequest__Output, 'id'>,
    signal: AbortSignal,
  ): Promise<scheduler.WorkResponse> {
    if (report) {
      const answer = this.answer('reportResults', () => this.report(report))
      if (report.results.some(({ taskId }) => this.silent.has(taskId))) await new Promise(() => undefined)
      return { id, report: answer }
    }
    if (!lease) throw new Error('an unknown message')
    return { id, lease: await this.leaseTasks(lease, signal) }
  }

  private async *commands(request: scheduler.CommandsRequest__Output, signal: AbortSignal) {
    const session = this.sessionOf(request.session)
    this.commandStreams++
    while (!signal.aborted) {
      const command = session.commands.shift()
      if (command) yield command
      else {
        await new Promise<void>((resolve) => {
          session.wakeCommands = resolve
          signal.addEventListener('abort', () => resolve(), { once: true })
          if (session.commands.length > 0) resolve()
        })
      }
    }
  }
}
