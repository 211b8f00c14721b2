export interface TaskMessage {
  task: unknown
}

export type ThreadMessage = { kind: 'ready' } | { kind: 'done'; result: unknown } | { kind: 'threw'; message: string }
