import { readFileSync } from 'node:fs'
import { parse } from 'yaml'
import { type Topic, topics } from '../topics.js'

/** What infra/kafka/topics.yaml says of one topic. */
export interface TopicDeclaration {
  name: string
  partitions: number
  /** -1 = what the cluster gives by default. */
  replicas: number
  config: Readonly<Record<string, string>>
}

export const deadLetterTopic = (topic: string): string => `${topic}.dlq`

interface Settings {
  partitions?: number
  replicas?: number | 'cluster'
  retention?: string
  cleanup?: 'delete' | 'compact' | 'compact+delete'
  compactAfter?: string
  maxMessageBytes?: number
}

interface TopicsFile {
  defaults: Settings
  deadLetters: Settings
  topics: Record<string, Settings>
}

const declaredIn = new URL('../../../../infra/kafka/topics.yaml', import.meta.url)

/** The topics and their dead-letter topics. A topic of the code that the file does not know is a fault. */
export function readTopicDeclarations(file: URL | string = declaredIn): TopicDeclaration[] {
  const { defaults, deadLetters, topics: declared } = parse(readFileSync(file, 'utf8')) as TopicsFile
  const missing = Object.keys(topics).filter((topic) => !Object.hasOwn(declared, topic))
  if (missing.length > 0) throw new Error(`${file} does not declare ${missing.join(', ')}`)
  return (Object.keys(topics) as Topic[]).flatMap((topic) => [
    declare(topic, { ...defaults, ...declared[topic] }),
    declare(deadLetterTopic(topic), { ...defaults, ...deadLetters }),
  ])
}

function declare(name: string, settings: Settings): TopicDeclaration {
  const {
    partitions = 1,
    replicas = 'cluster',
    retention,
    cleanup = 'delete',
    compactAfter,
    maxMessageBytes,
  } = settings
  return {
    name,
    partitions,
    replicas: replicas === 'cluster' ? -1 : replicas,
    config: {
      'cleanup.policy': cleanup.replace('+', ','),
      ...(retention === undefined ? {} : { 'retention.ms': String(toMs(retention)) }),
      ...(compactAfter === undefined ? {} : { 'min.compaction.lag.ms': String(toMs(compactAfter)) }),
      ...(maxMessageBytes === undefined ? {} : { 'max.message.bytes': String(maxMessageBytes) }),
    },
  }
}

const unitMs: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 }

function toMs(text: string): number {
  const match = /^(\d+)([smhd])$/.exec(text)
  const unit = unitMs[match?.[2] ?? '']
  if (match === null || unit === undefined) throw new Error(`not a duration: ${text}`)
  return Number(match[1]) * unit
}
