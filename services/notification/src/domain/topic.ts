/** Topics that this service reads. */
export const notifiedTopics = [
  'workflow.started',
  'workflow.completed',
  'task.dead-lettered',
  'approval.requested',
  'run.late',
  'schedule.missed',
  'worker.lost',
  'queue.backlog',
] as const
export type NotifiedTopic = (typeof notifiedTopics)[number]

/** What people subscribe to: facts that are read, and two that are read out of them. */
export type NotificationType = NotifiedTopic | 'workflow.failed' | 'task.failed'

/** A task's status `failed` is final, so the event that says so is that of its dead letter. */
export function typesOf(topic: NotifiedTopic, status: string | undefined): NotificationType[] {
  if (topic === 'workflow.completed' && status === 'failed') return [topic, 'workflow.failed']
  return topic === 'task.dead-lettered' ? [topic, 'task.failed'] : [topic]
}
