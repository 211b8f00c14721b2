import type { EventData, EventInput, Topic } from './topics.js'

/** CloudEvents 1.0, with the extensions partitionkey, sequence, traceparent and applied. */
export interface CloudEvent<T extends Topic = Topic> {
  specversion: '1.0'
  id: string
  source: string
  type: `millrace.${T}.v1`
  subject: string
  /** RFC 3339, UTC. */
  time: string
  datacontenttype: 'application/json'
  partitionkey: string
  /** The rev of what the event is about; compare as numbers. */
  sequence: string
  traceparent?: string
  /** Of a claim: whoever put it into the log in a worker's name had applied it already. */
  applied?: true
  data: EventData<T>
  topic: T
}

/** A CloudEvent of one of several topics, told apart by `topic`. */
export type EventOf<T extends Topic> = { [K in T]: CloudEvent<K> }[T]

export interface NewEvent<T extends Topic> {
  topic: T
  /** Order holds among events of one key. */
  key: string
  data: EventInput<T>
  subject?: string
  sequence?: number
  /** The active span unless given. */
  traceparent?: string
}

export type AnyNewEvent = { [T in Topic]: NewEvent<T> }[Topic]

/** An event as it lies in a log or on a broker, before its contract was checked. */
export interface RawEvent {
  topic: Topic
  eventId: string
  source: string
  subject: string
  time: Date
  key: string
  sequence: number
  traceparent: string | null
  applied?: boolean
  /** JSON text. */
  data: string
  /** The same, where it came parsed; `data` is then empty. */
  parsed?: unknown
}

/** Everything of a CloudEvent but its data. */
export function envelopeOf(raw: RawEvent): Omit<CloudEvent, 'data' | 'topic'> {
  return {
    specversion: '1.0',
    id: raw.eventId,
    source: raw.source,
    type: `millrace.${raw.topic}.v1`,
    subject: raw.subject,
    time: raw.time.toISOString(),
    datacontenttype: 'application/json',
    partitionkey: raw.key,
    sequence: String(raw.sequence),
    ...(raw.traceparent === null ? {} : { traceparent: raw.traceparent }),
    ...(raw.applied ? { applied: true as const } : {}),
  }
}
