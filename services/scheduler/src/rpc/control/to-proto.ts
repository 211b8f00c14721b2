import type { control as proto } from '@millrace/contracts'
import type { QueueView } from '../../db/queues.js'
import type { WorkerView } from '../../db/workers.js'

export function toProtoWorker(worker: WorkerView): proto.Worker {
  return {
    id: worker.worker_id,
    name: worker.name,
    state: worker.state,
    shared: worker.project_id === null,
    queues: worker.queues,
    executors: worker.executors,
    concurrency: worker.concurrency,
    running: worker.running,
    sdk: worker.sdk,
    version: worker.version,
    startedAt: worker.created_at.toISOString(),
    lastSeenAt: worker.seen_at.toISOString(),
    sessionId: worker.session_id,
    circuits: worker.circuits,
  }
}

export function toProtoQueue({ settings, ...queue }: QueueView): proto.Queue {
  const rate = settings?.rate_limit
  return {
    name: queue.name,
    paused: settings?.paused ?? false,
    depth: queue.depth,
    running: queue.running,
    parked: queue.parked,
    oldestAgeMs: Math.max(0, Math.round(queue.oldest_ms)),
    ...(settings?.concurrency == null ? {} : { concurrency: settings.concurrency }),
    rateLimit: rate == null ? null : { limit: rate, perMs: settings?.rate_per_ms ?? 0 },
    ...(settings?.weight == null ? {} : { weight: settings.weight }),
    profile: settings?.profile ?? '',
    defaultsJson: settings?.defaults ? JSON.stringify(settings.defaults) : '',
    workers: queue.workers,
    updatedAt: queue.updated_at?.toISOString() ?? '',
  }
}
