import type { events } from '@millrace/contracts'

/** What each topic carries, in proto3's JSON form with every field present. */
export interface TopicData {
  'workflow.started': events.WorkflowStarted__Output
  'workflow.updated': events.WorkflowUpdated__Output
  'workflow.completed': events.WorkflowCompleted__Output
  'workflow.deleted': events.WorkflowDeleted__Output
  'task.scheduled': events.TaskScheduled__Output
  'task.updated': events.TaskUpdated__Output
  'task.progress': events.TaskProgress__Output
  'task.completed': events.TaskCompleted__Output
  'task.failed': events.TaskFailed__Output
  'task.dead-lettered': events.TaskDeadLettered__Output
  'approval.requested': events.ApprovalRequested__Output
  'run.late': events.RunLate__Output
  'schedule.missed': events.ScheduleMissed__Output
  'worker.lost': events.WorkerLost__Output
  'queue.backlog': events.QueueBacklog__Output
  'notification.delivered': events.NotificationDelivered__Output
  'notification.failed': events.NotificationFailed__Output
  'artifact.created': events.ArtifactCreated__Output
  'project.deleted': events.ProjectDeleted__Output
  'project.emptied': events.ProjectEmptied__Output
  'runs.deleted': events.RunsDeleted__Output
  'retention.changed': events.RetentionChanged__Output
  'audit.recorded': events.AuditRecorded__Output
}

export type Topic = keyof TopicData
export type EventData<T extends Topic> = TopicData[T]

/** Producers may leave a field out; it then has its default. */
export type EventInput<T extends Topic> = Partial<TopicData[T]>

interface TopicContract {
  /** Message in proto/events/v1. */
  message: string
  /** proto3 knows no required field; an event without one of these means nothing to anyone. */
  required: readonly string[]
}

export const topics: { readonly [T in Topic]: TopicContract } = {
  'workflow.started': { message: 'WorkflowStarted', required: ['runId', 'projectId', 'workflow'] },
  'workflow.updated': { message: 'WorkflowUpdated', required: ['runId', 'projectId', 'status'] },
  'workflow.completed': { message: 'WorkflowCompleted', required: ['runId', 'projectId', 'status'] },
  'workflow.deleted': { message: 'WorkflowDeleted', required: ['projectId', 'workflow'] },
  'task.scheduled': { message: 'TaskScheduled', required: ['runId', 'projectId', 'taskId'] },
  'task.updated': { message: 'TaskUpdated', required: ['runId', 'projectId', 'taskId', 'status'] },
  'task.progress': { message: 'TaskProgress', required: ['runId', 'projectId', 'taskId'] },
  'task.completed': { message: 'TaskCompleted', required: ['runId', 'projectId', 'taskId'] },
  'task.failed': { message: 'TaskFailed', required: ['runId', 'projectId', 'taskId'] },
  'task.dead-lettered': { message: 'TaskDeadLettered', required: ['runId', 'projectId', 'taskId'] },
  'approval.requested': { message: 'ApprovalRequested', required: ['runId', 'projectId', 'taskId'] },
  'run.late': { message: 'RunLate', required: ['runId', 'projectId', 'reason'] },
  'schedule.missed': { message: 'ScheduleMissed', required: ['scheduleId', 'projectId', 'reason'] },
  'worker.lost': { message: 'WorkerLost', required: ['projectId', 'name'] },
  'queue.backlog': { message: 'QueueBacklog', required: ['projectId', 'queue'] },
  'notification.delivered': { message: 'NotificationDelivered', required: ['notificationId', 'projectId'] },
  'notification.failed': { message: 'NotificationFailed', required: ['notificationId', 'projectId'] },
  'artifact.created': { message: 'ArtifactCreated', required: ['artifactId', 'projectId'] },
  'project.deleted': { message: 'ProjectDeleted', required: ['projectId'] },
  'project.emptied': { message: 'ProjectEmptied', required: ['projectId'] },
  'runs.deleted': { message: 'RunsDeleted', required: [] },
  'retention.changed': { message: 'RetentionChanged', required: ['projectId'] },
  'audit.recorded': { message: 'AuditRecorded', required: ['actor', 'action'] },
}

export const isTopic = (value: string): value is Topic => Object.hasOwn(topics, value)

/** What a worker says it did, which only the scheduler can make so. */
export const isClaim = (topic: Topic): boolean => topic === 'task.completed' || topic === 'task.failed'
