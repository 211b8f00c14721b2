import { logServiceDefinition, type metadata } from '@millrace/contracts'
import { unavailable } from '@millrace/errors'
import { createGrpcServer, type GrpcServer } from '@millrace/grpc'
import { testLogger, testService } from '@millrace/testkit'

type Line = metadata.LogLine__Output

/** LogService keeping what it is sent; a line's place is (task, attempt, lease, seq), as in the contract. */
export class LogServer {
  readonly lines: Line[] = []
  readonly batches: number[] = []
  down = false
  port = 0
  private readonly seen = new Set<string>()
  private server: GrpcServer | undefined

  async start(): Promise<void> {
    this.server = createGrpcServer({
      service: 'metadata',
      logger: testLogger,
      auth: { kind: 'internal', identity: testService('metadata') },
      services: [
        {
          definition: logServiceDefinition,
          handlers: { append: async ({ lines }: metadata.AppendRequest__Output) => this.append(lines) },
        },
      ],
    })
    this.port = await this.server.start('127.0.0.1', 0)
  }

  async stop(): Promise<void> {
    await this.server?.stop(0)
  }

  of(taskId: string | undefined): Line[] {
    return this.lines.filter((line) => line.taskId === taskId)
  }

  private append(lines: Line[]): metadata.AppendResponse {
    if (this.down) throw unavailable('down', 'down')
    this.batches.push(lines.length)
    for (const line of lines) {
      const place = `${line.taskId} ${line.attempt} ${line.leaseId} ${line.seq}`
      if (!this.seen.has(place)) this.lines.push(line)
      this.seen.add(place)
    }
    return { accepted: lines.length }
  }
}
