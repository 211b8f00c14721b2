import { setTimeout as delay } from 'node:timers/promises'
import type { Admin } from 'kafkajs'
import type { TopicDeclaration } from './topic-declarations.js'

/** Creates what is missing. Safe to call from many processes at once; what exists is left as it is. */
export async function ensureTopics(
  admin: Admin,
  declarations: readonly TopicDeclaration[],
  prefix: string,
): Promise<void> {
  const existing = new Set(await admin.listTopics())
  const missing = declarations.filter(({ name }) => !existing.has(prefix + name))
  if (missing.length === 0) return
  await admin.createTopics({
    waitForLeaders: true,
    topics: missing.map(({ name, partitions, replicas, config }) => ({
      topic: prefix + name,
      numPartitions: partitions,
      replicationFactor: replicas,
      configEntries: Object.entries(config).map(([key, value]) => ({ name: key, value })),
    })),
  })
  for (const { name } of missing) await untilLed(admin, prefix + name)
}

const lookMs = 50
const ledWithinMs = 30_000

/**
 * The cluster names leaders a moment before the brokers know that they lead. A batch sent meanwhile fails for some of its
 * partitions, and the library then repeats it for all partitions of that broker: readers would get the others twice.
 */
async function untilLed(admin: Admin, topic: string): Promise<void> {
  const until = performance.now() + ledWithinMs
  for (;;) {
    try {
      await admin.fetchTopicOffsets(topic)
      return
    } catch (error) {
      if (performance.now() > until) throw error
      await delay(lookMs)
    }
  }
}
