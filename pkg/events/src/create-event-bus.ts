import type { Logger } from '@millrace/logger'
import type { EventBus } from './event-bus.js'
import type { KafkaConnection } from './kafka/kafka-client.js'
import { createKafkaEventBus, type KafkaEventBus } from './kafka/kafka-event-bus.js'
import { createPostgresEventBus } from './postgres/postgres-event-bus.js'

export type EventsConfig = { kind: 'postgres' } | ({ kind: 'kafka' } & KafkaConnection)

export interface EventBusParts {
  connectionString: string
  /** Whose bus it is. */
  service: string
  logger: Logger
}

/** For composition roots: the adapter that the configuration names, the Postgres log without one. */
export function createEventBus(config: EventsConfig | undefined, parts: EventBusParts): EventBus {
  const { connectionString, service, logger } = parts
  if (config === undefined || config.kind === 'postgres') return createPostgresEventBus({ connectionString, logger })
  return createKafkaEventBus({ connection: config, connectionString, clientId: `millrace-${service}`, logger })
}

/** The bus, if it also takes events from those who have no database to write them in. */
export function publisherOf(bus: EventBus): KafkaEventBus | undefined {
  return 'publish' in bus ? (bus as KafkaEventBus) : undefined
}
