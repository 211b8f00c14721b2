import { setTimeout as delay } from 'node:timers/promises'
import type { Logger } from '@millrace/logger'
import type { TopicPartitionOffset } from 'kafkajs'

const retryMs = 300

/** Commits what was applied, off the path of handling: while one commit is in flight, later ones gather. */
export class Committer {
  private readonly pending = new Map<string, TopicPartitionOffset>()
  private running: Promise<void> | undefined
  private stopped = false

  constructor(
    private readonly commit: (offsets: TopicPartitionOffset[]) => Promise<void>,
    private readonly logger: Logger,
  ) {}

  /** `next` is the offset of the first message not yet applied. */
  applied(topic: string, partition: number, next: bigint): void {
    this.pending.set(`${topic}/${partition}`, { topic, partition, offset: String(next) })
    this.running ??= this.run().finally(() => {
      this.running = undefined
    })
  }

  /** The group was divided anew: what was not committed is delivered again, to whoever has it now. */
  forget(): void {
    this.pending.clear()
  }

  /** Resolves when everything is committed, or could not be. */
  async flush(): Promise<void> {
    this.stopped = true
    await this.running
  }

  private async run(): Promise<void> {
    while (this.pending.size > 0) {
      const offsets = new Map(this.pending)
      this.pending.clear()
      try {
        await this.commit([...offsets.values()])
      } catch (error) {
        this.logger.debug({ err: error }, 'offsets could not be committed')
        if (this.stopped) return
        await delay(retryMs)
        // What was applied meanwhile lies further on.
        for (const [place, offset] of offsets) if (!this.pending.has(place)) this.pending.set(place, offset)
      }
    }
  }
}
