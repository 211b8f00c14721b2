export const notifiedTopics = ['workflow.completed', 'task.dead-lettered', 'approval.requested'] as const
export type NotifiedTopic = (typeof notifiedTopics)[number]
