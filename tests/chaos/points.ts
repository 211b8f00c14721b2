/** Which process of a standalone dies there. */
export type Victim = 'core' | 'edge' | 'records' | 'worker-1' | 'supervisor'

export interface CrashCase {
  point: string
  victim: Victim
  /** The hit that kills: early, or in the middle of the load. */
  hit: number
  seed: number
}

interface Point {
  name: string
  victim: Victim
  /** The last hit that a load is sure to reach: what is passed seldom dies early. */
  maxHit: number
}

const all = (victim: Victim, names: readonly string[], maxHit = 8): Point[] =>
  names.map((name) => ({ name, victim, maxHit }))

export const points: readonly Point[] = [
  ...all('core', [
    'scheduler.started.received',
    'scheduler.started.applied',
    'scheduler.report.received',
    'scheduler.report.decided',
    'scheduler.lease.granted',
    'scheduler.store.writeBatch.before',
    'scheduler.store.writeBatch.after',
    'scheduler.store.leaseTasks.before',
    'scheduler.store.leaseTasks.after',
    'scheduler.store.extendSession.before',
    'scheduler.store.extendSession.after',
    'scheduler.store.recordLiveness.before',
    'scheduler.store.recordLiveness.after',
    'scheduler.store.requeueLostTasks.after',
    'scheduler.store.findTimers.after',
    'scheduler.store.findInbox.after',
    'scheduler.tick.planned',
    'scheduler.tick.claimed',
    'scheduler.tick.created',
    'scheduler.tick.settled',
    'events.scheduler.delivered',
  ]),
  // The locked path, and the creation of a child run: once or twice in a load.
  ...all(
    'core',
    [
      'scheduler.store.transaction.before',
      'scheduler.store.transaction.after',
      'scheduler.tx.lockRun.after',
      'scheduler.tx.writeBatch.before',
      'scheduler.tx.writeBatch.after',
      'scheduler.store.claimChildRequest.before',
      'scheduler.store.claimChildRequest.after',
    ],
    2,
  ),
  ...all('worker-1', [
    'worker.lease.received',
    'worker.task.started',
    'worker.task.executed',
    'worker.report.before',
    'worker.report.answered',
    'worker.heartbeat.answered',
    'worker.logs.before',
    'worker.logs.stored',
  ]),
  ...all('edge', [
    'workflow.create-run.settled',
    'workflow.create-run.committed',
    'workflow.create-runs.before',
    'workflow.create-runs.committed',
    'workflow.create-run.created',
    'workflow.taken.before',
    'workflow.taken.after',
    'events.workflow.delivered',
    'notification.matched',
    'notification.claimed',
    'notification.sent',
    'notification.recorded',
    'events.notification.delivered',
    'gateway.forward',
    'gateway.answer',
  ]),
  ...all('edge', ['artifact.created', 'artifact.announced', 'artifact.stored', 'artifact.linked'], 1),
  ...all('records', [
    'metadata.record.before',
    'metadata.record.applied',
    'metadata.logs.before',
    'metadata.logs.stored',
    'events.metadata.delivered',
  ]),
  ...all('supervisor', ['supervisor.child-died', 'supervisor.child-restarted'], 1),
]

/** The same for the same seed. */
export function randomOf(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return state / 2 ** 32
  }
}

/** Every point once a seed, processes in turn. */
export function casesOf(seeds: readonly number[], wanted: RegExp): CrashCase[] {
  const cases = seeds.flatMap((seed) => {
    const random = randomOf(seed)
    return points.map(({ name, victim, maxHit }) => {
      return { point: name, victim, hit: 1 + Math.floor(random() * maxHit), seed }
    })
  })
  const queues = new Map<Victim, CrashCase[]>()
  for (const one of cases.filter(({ point }) => wanted.test(point))) {
    queues.set(one.victim, [...(queues.get(one.victim) ?? []), one])
  }
  const mixed: CrashCase[] = []
  const total = [...queues.values()].reduce((sum, queue) => sum + queue.length, 0)
  const sizes = new Map([...queues].map(([victim, queue]) => [victim, queue.length]))
  const done = new Map<Victim, number>()
  while (mixed.length < total) {
    // Whoever is furthest behind its share.
    const [next] = [...queues]
      .filter(([, queue]) => queue.length > 0)
      .sort(([a], [b]) => (done.get(a) ?? 0) / (sizes.get(a) ?? 1) - (done.get(b) ?? 0) / (sizes.get(b) ?? 1))
    const one = next?.[1].shift()
    if (!next || !one) break
    done.set(next[0], (done.get(next[0]) ?? 0) + 1)
    mixed.push(one)
  }
  return mixed
}
