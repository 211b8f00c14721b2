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
}
