import type { ProtoQueue, ProtoWorker } from '../../clients/control.js'

export function workerView({ sessionId: _, ...worker }: ProtoWorker): Record<string, unknown> {
  return { ...worker }
}

export function queueView(queue: ProtoQueue): Record<string, unknown> {
  const { rateLimit, defaultsJson, profile, updatedAt } = queue
  return {
    name: queue.name,
    paused: queue.paused,
    depth: queue.depth,
    running: queue.running,
    parked: queue.parked,
    oldestAgeMs: queue.oldestAgeMs,
    concurrency: queue._concurrency === undefined ? null : queue.concurrency,
    rateLimit: rateLimit && { limit: rateLimit.limit, per: durationText(rateLimit.perMs) },
    weight: queue._weight === undefined ? null : queue.weight,
    profile: profile === '' ? null : profile,
    defaults: defaultsJson === '' ? null : JSON.parse(defaultsJson),
    workers: queue.workers,
    updatedAt: updatedAt === '' ? null : updatedAt,
  }
}

const units = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['m', 60_000],
  ['s', 1000],
] as const

/** In the largest unit that leaves no rest. */
function durationText(ms: number): string {
  for (const [unit, size] of units) if (ms % size === 0) return `${ms / size}${unit}`
  return `${ms}ms`
}
