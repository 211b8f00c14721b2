/** What somebody does whom an alarm of this name woke. Where there is one for each target or broker, a number follows the name. */
export const runbooks = {
  'tasks-wait': 'docs/runbooks/tasks-wait.md',
  'outbox-stuck': 'docs/runbooks/outbox-stuck.md',
  'dead-letters': 'docs/runbooks/dead-letters.md',
  'target-down': 'docs/runbooks/target-down.md',
  'postgres-cpu': 'docs/runbooks/postgres-resources.md',
  'postgres-storage': 'docs/runbooks/postgres-resources.md',
  'documents-cpu': 'docs/runbooks/documents-resources.md',
  'kafka-partitions': 'docs/runbooks/kafka-brokers.md',
  'kafka-disk': 'docs/runbooks/kafka-brokers.md',
} as const

export type AlarmName = keyof typeof runbooks
