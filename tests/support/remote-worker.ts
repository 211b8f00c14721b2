import { dispatchDefinition, logServiceDefinition, type scheduler } from '@millrace/contracts'
import { createGrpcClient, type GrpcClient } from '@millrace/grpc'

type Lease = scheduler.Lease__Output

/** A worker as anyone may write one: a key of role `worker` and the public gRPC port. */
export class RemoteWorker {
  readonly dispatch: GrpcClient<typeof dispatchDefinition>
  readonly logs: GrpcClient<typeof logServiceDefinition>
  session = { id: '', secret: '' }
  workerId = ''
  /** What every heartbeat says besides what is held. */
  circuits: { uses: string; peer: string; retryAfterMs: number }[] = []
  progress: { percent: number; message: string } | undefined
  private stopping = false
  private loop: Promise<void> = Promise.resolve()
  private beat: NodeJS.Timeout | undefined
  private readonly held = new Map<string, Lease>()

  constructor(
    address: string,
    key: string,
    private readonly name: string,
  ) {
    this.dispatch = createGrpcClient(dispatchDefinition, address, { bearer: key })
    this.logs = createGrpcClient(logServiceDefinition, address, { bearer: key })
  }

  async register(...executors: string[]): Promise<this> {
    const registered = await this.dispatch.register({
      name: this.name,
      executors,
      queues: ['default'],
      concurrency: 4,
      sdk: 'test',
    })
    this.session = { id: registered.sessionId, secret: registered.sessionSecret }
    this.workerId = registered.workerId
    this.beat = setInterval(() => this.heartbeat().catch(() => undefined), registered.heartbeatMs)
    return this
  }

  /** Says nothing more, as a process that was killed. */
  vanish(): void {
    clearInterval(this.beat)
  }

  async lease(waitMs: number, max = 4): Promise<Lease[]> {
    const { leases } = await this.dispatch.leaseTasks(
      { session: this.session, max, waitMs },
      { timeoutMs: waitMs + 5_000 },
    )
    for (const lease of leases) this.held.set(lease.leaseId, lease)
    return leases
  }

  async succeed(lease: Lease, output: unknown): Promise<string[]> {
    const { verdicts } = await this.dispatch.reportResults({
      session: this.session,
      results: [
        {
          taskId: lease.taskId,
          runId: lease.runId,
          token: lease.token,
          leaseId: lease.leaseId,
          outcome: 'OUTCOME_SUCCEEDED',
          outputJson: JSON.stringify(output),
        },
      ],
      want: 0,
    })
    this.held.delete(lease.leaseId)
    return verdicts
  }

  async log(lease: Lease, ...messages: string[]): Promise<number> {
    const { accepted } = await this.logs.append({
      lines: messages.map((message, i) => ({
        taskId: lease.taskId,
        runId: lease.runId,
        projectId: lease.projectId,
        key: lease.key,
        attempt: lease.attempt,
        leaseId: lease.leaseId,
        seq: i + 1,
        at: new Date().toISOString(),
        level: 'info',
        stream: 'stdout',
        message,
      })),
    })
    return accepted
  }

  /** Works until closed. */
  work(execute: (lease: Lease) => unknown): void {
    const step = async () => {
      while (!this.stopping) {
        const leases = await this.lease(500)
        for (const lease of leases) await this.succeed(lease, await execute(lease))
      }
    }
    this.loop = step()
    // Looked at when closed; until then a failure shows as work that is not done.
    this.loop.catch(() => undefined)
  }

  async heartbeat(): Promise<void> {
    const progress = this.progress && { progress: this.progress }
    const held = [...this.held.values()].map(({ taskId, leaseId }) => ({ taskId, leaseId, ...progress }))
    await this.dispatch.heartbeat({ session: this.session, held, circuits: this.circuits })
  }

  async close(): Promise<void> {
    this.stopping = true
    this.vanish()
    try {
      await this.loop
    } finally {
      this.dispatch.close()
      this.logs.close()
    }
  }
}
