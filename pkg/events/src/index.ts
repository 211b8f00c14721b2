export { appendEvents } from './append-events.js'
export type { AnyNewEvent, CloudEvent, EventOf, NewEvent, RawEvent } from './cloud-event.js'
export { ContractError, checkData, decodeEvent, encodeData } from './contract-check.js'
export { createEventBus, type EventBusParts, type EventsConfig, publisherOf } from './create-event-bus.js'
export { type DeadLetter, type DeliveryOptions, deliver, isDependencyFailure } from './deliver.js'
export { dropHandledEvents, type HandedOver } from './drop-handled-events.js'
export type {
  EventBus,
  EventPublisher,
  HintOptions,
  SubscribeOptions,
  Subscription,
  Tail,
  TailOptions,
} from './event-bus.js'
export type { KafkaConnection } from './kafka/kafka-client.js'
export { createKafkaEventBus, type KafkaEventBus, type KafkaEventBusOptions } from './kafka/kafka-event-bus.js'
export { kafkaAccountNames, prepareKafka } from './kafka/topic-access.js'
export { deadLetterTopic, readTopicDeclarations, type TopicDeclaration } from './kafka/topic-declarations.js'
export { AUDIT_SCHEMA } from './migrate-audit-log.js'
export { migrateEvents } from './migrate-events.js'
export { createPostgresEventBus, type PostgresEventBusOptions } from './postgres/postgres-event-bus.js'
export { pruneEvents, type RetentionOptions } from './postgres/retention.js'
export { type AuditEntry, recordAudit } from './record-audit.js'
export { recordRewrapped } from './record-rewrapped.js'
export { RefusalLog } from './refusal-log.js'
export { prepareServiceDatabases } from './service-databases.js'
export { type EventData, type EventInput, isTopic, type Topic, type TopicData, topics } from './topics.js'
