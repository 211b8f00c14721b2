import { setTimeout as delay } from 'node:timers/promises'
import type { Admin } from 'kafkajs'

type Offsets = Map<string, bigint>

async function endOffsets(admin: Admin, topics: readonly string[]): Promise<{ low: Offsets; high: Offsets }> {
  const low: Offsets = new Map()
  const high: Offsets = new Map()
  for (const topic of topics) {
    for (const at of await admin.fetchTopicOffsets(topic)) {
      low.set(`${topic}/${at.partition}`, BigInt(at.low))
      high.set(`${topic}/${at.partition}`, BigInt(at.high))
    }
  }
  return { low, high }
}

async function committed(admin: Admin, groupId: string, topics: readonly string[]): Promise<Offsets> {
  const offsets: Offsets = new Map()
  for (const { topic, partitions } of await admin.fetchOffsets({ groupId, topics: [...topics] })) {
    for (const at of partitions) if (at.offset !== '-1') offsets.set(`${topic}/${at.partition}`, BigInt(at.offset))
  }
  return offsets
}

function behind(ends: { low: Offsets; high: Offsets }, reached: Offsets): number {
  let lag = 0n
  for (const [place, high] of ends.high) {
    const at = reached.get(place) ?? ends.low.get(place) ?? 0n
    if (at < high) lag += high - at
  }
  return Number(lag)
}

export async function measureLag(admin: Admin, groupId: string, topics: readonly string[]): Promise<number> {
  const reached = await committed(admin, groupId, topics)
  return behind(await endOffsets(admin, topics), reached)
}

const lookMs = 100

/** Resolves once the group, all its members together, has passed what the topics hold now. */
export async function untilCaughtUp(
  admin: Admin,
  groupId: string,
  topics: readonly string[],
  signal: AbortSignal,
): Promise<void> {
  const ends = await endOffsets(admin, topics)
  while (behind(ends, await committed(admin, groupId, topics)) > 0) await delay(lookMs, undefined, { signal })
}
