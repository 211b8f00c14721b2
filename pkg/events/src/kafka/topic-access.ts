import type { Logger } from '@millrace/logger'
import kafkajs, { type Admin } from 'kafkajs'
import { ensureTopics } from './ensure-topics.js'
import { createKafka, type KafkaConnection } from './kafka-client.js'
import { readTopicDeclarations } from './topic-declarations.js'

// Node finds no names of these enumerations in the CommonJS module.
const { AclOperationTypes, AclPermissionTypes, AclResourceTypes, ResourcePatternTypes } = kafkajs
const { READ, WRITE, DESCRIBE, DELETE } = AclOperationTypes
const { TOPIC, GROUP } = AclResourceTypes
const { LITERAL, PREFIXED } = ResourcePatternTypes

type Operation = kafkajs.AclOperationTypes

interface Right {
  resource: typeof TOPIC | typeof GROUP
  /** `*` is every topic. */
  name: string
  pattern: typeof LITERAL | typeof PREFIXED
  operations: readonly Operation[]
}

const everyTopic: Right = { resource: TOPIC, name: '*', pattern: LITERAL, operations: [DESCRIBE] }
const topic = (name: string, ...operations: Operation[]): Right => ({
  ...{ resource: TOPIC, name, pattern: LITERAL, operations },
})
const groups = (name: string): Right => ({
  ...{ resource: GROUP, name, pattern: PREFIXED, operations: [READ, DESCRIBE, DELETE] },
})

/**
 * Services with a database relay each other's outbox rows, so all of them write and read every topic, as they do in the
 * log; each has groups of its own. A worker, which runs what users asked for, publishes results and hears hints alone.
 */
const storing = (group: string): Right[] => [
  { resource: TOPIC, name: '*', pattern: LITERAL, operations: [DESCRIBE, READ, WRITE] },
  groups(group),
]

const rights: Readonly<Record<string, readonly Right[]>> = {
  iam: storing('iam'),
  workflow: storing('workflow'),
  scheduler: storing('scheduler'),
  metadata: storing('metadata'),
  notification: storing('notification'),
  artifact: storing('artifact'),
  worker: [
    everyTopic,
    topic('task.completed', WRITE),
    topic('task.failed', WRITE),
    topic('task.scheduled', READ),
    topic('task.scheduled.dlq', WRITE),
    groups('workers'),
  ],
}

/** The accounts that a cluster with passwords needs. */
export const kafkaAccountNames: readonly string[] = Object.keys(rights)

/** Makes topics and rights as an administrator, so that services need neither right. Repeating it changes nothing. */
export async function prepareKafka(connection: KafkaConnection, logger: Logger): Promise<void> {
  const admin = createKafka(connection, 'millrace-setup', logger).admin()
  await admin.connect()
  try {
    const prefix = connection.prefix ?? ''
    await ensureTopics(admin, readTopicDeclarations(), prefix)
    await admin.createAcls({ acl: entries(prefix) })
  } finally {
    await admin.disconnect()
  }
}

function entries(prefix: string): Parameters<Admin['createAcls']>[0]['acl'] {
  return Object.entries(rights).flatMap(([user, given]) =>
    given.flatMap(({ resource, name, pattern, operations }) =>
      operations.map((operation) => ({
        resourceType: resource,
        resourceName: name === '*' ? name : prefix + name,
        resourcePatternType: pattern,
        principal: `User:${user}`,
        host: '*',
        operation,
        permissionType: AclPermissionTypes.ALLOW,
      })),
    ),
  )
}
