import { unavailable } from '@millrace/errors'
import type { Logger } from '@millrace/logger'
import { LRUCache } from 'lru-cache'
import type { ArtifactClient } from '../clients/artifact-client.js'
import type { PayloadRow, Payloads } from '../db/load-runs.js'
import type { OutputOwner, UnmovedOutput } from '../db/outputs.js'
import type { LeaseProof } from '../domain/commands.js'
import { type OutputArtifact, outputArtifact } from '../domain/large-output.js'
import type { Environment } from './environment.js'
import { holds } from './lease-outcome.js'
import { Loop } from './loop.js'
import { outputMetrics } from './metrics.js'

export interface OutputStore {
  findOutputOwner(taskId: string): Promise<OutputOwner | undefined>
  findUnmovedOutputs(limit: number): Promise<UnmovedOutput[]>
  markOutputMoved(ownerId: string, artifactId: string): Promise<void>
  linkChildOutput(taskId: string, artifact: OutputArtifact): Promise<void>
}

export interface OutputOptions {
  readonly store: OutputStore
  readonly artifacts: ArtifactClient
  readonly env: Environment
  readonly logger: Logger
}

const POLL_MS = 2000
/** Each may have 8 MiB. */
const SLICE = 4
const PUT_TIMEOUT_MS = 5000
/** A shard waits for this. */
const GET_TIMEOUT_MS = 2000
/** After a failure nobody waits for the artifact service again for so long. */
const PAUSE_MS = 1000
const CACHE_BYTES = 64 * 1024 * 1024

/**
 * Outputs that are kept as artifacts. A report's is written before the report is applied; if that fails, and for outputs
 * that the engine itself makes, the text stays beside the task until a loop has moved it. So no report waits for the
 * artifact service to come back, and whoever decides finds every output in one of the two places.
 */
export class Outputs extends Loop {
  private readonly contents = new LRUCache<string, { value: unknown; size: number }>({
    maxSize: CACHE_BYTES,
    sizeCalculation: ({ size }) => Math.max(1, size),
  })
  private pausedUntil = Number.NEGATIVE_INFINITY

  constructor(private readonly options: OutputOptions) {
    super({ name: 'outputs', everyMs: POLL_MS, logger: options.logger, env: options.env })
  }

  /** Writes a reported output; undefined when it could not be, or the lease is over. */
  async upload(taskId: string, lease: LeaseProof, text: string): Promise<OutputArtifact | undefined> {
    const { store, artifacts, env, logger } = this.options
    const owner = await store.findOutputOwner(taskId)
    if (!owner || !holds(owner, lease) || env.now() < this.pausedUntil) return undefined
    const artifact = outputArtifact(taskId, lease.leaseId, text)
    const { project_id: projectId, run_id: runId, key: task } = owner
    try {
      await artifacts.put({ id: artifact.id, projectId, runId, task, content: text }, PUT_TIMEOUT_MS)
      outputMetrics.large.inc({ outcome: 'stored' })
      return artifact
    } catch (error) {
      this.failed()
      outputMetrics.large.inc({ outcome: 'put_off' })
      logger.warn({ err: error, taskId }, 'a large output will be moved later')
      return undefined
    }
  }

  /** The report of a map item was applied, its text beside it: until this is written it is shown as itself. */
  linkChild(taskId: string, artifact: OutputArtifact): Promise<void> {
    return this.options.store.linkChildOutput(taskId, artifact)
  }

  /** Puts outputs that lie in artifacts into their rows. Gives the tasks for which that failed, and why. */
  async fill(payloads: Payloads): Promise<Map<string, unknown>> {
    const failures = new Map<string, unknown>()
    for (const row of payloads.values()) {
      if (row.artifact_id === null || row.output !== null) continue
      try {
        row.output = await this.content(row, row.artifact_id)
      } catch (error) {
        failures.set(row.task_id, error)
      }
    }
    return failures
  }

  /** What somebody has deleted is null. */
  private async content({ task_id: taskId, artifact_size: size }: PayloadRow, id: string): Promise<unknown> {
    const known = this.contents.get(id)
    if (known) return known.value
    const { store, artifacts, env } = this.options
    if (env.now() < this.pausedUntil) throw unavailable('artifacts_unavailable', 'the artifact service does not answer')
    const owner = await store.findOutputOwner(taskId)
    try {
      const text = await artifacts.get(id, owner?.project_id ?? '', GET_TIMEOUT_MS)
      const value: unknown = text === undefined ? null : JSON.parse(text)
      this.contents.set(id, { value, size: size ?? 0 })
      return value
    } catch (error) {
      this.failed()
      throw unavailable('artifacts_unavailable', 'the artifact service does not answer', error)
    }
  }

  private failed(): void {
    this.pausedUntil = this.options.env.now() + PAUSE_MS
  }

  protected override async turn(): Promise<void> {
    const { store, artifacts } = this.options
    const outputs = await store.findUnmovedOutputs(SLICE)
    for (const { owner_id: ownerId, artifact_id: id, run_id: runId, project_id: projectId, ...rest } of outputs) {
      await artifacts.put({ id, projectId, runId, task: rest.key, content: rest.output }, PUT_TIMEOUT_MS)
      await store.markOutputMoved(ownerId, id)
      outputMetrics.large.inc({ outcome: 'moved' })
    }
    if (outputs.length === SLICE) this.poke()
  }
}
