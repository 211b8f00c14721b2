/** What the supervisor and its children say to each other. A child is born silent, says hello, and is given its work. */
export type ToChild =
  | { kind: 'start'; settings: unknown }
  | { kind: 'drain' }
  | { kind: 'stop' }
  /** A worker has died, whose session this was. */
  | { kind: 'worker-died'; sessionId: string }

export type FromChild =
  | { kind: 'hello' }
  | { kind: 'started' }
  | { kind: 'failed'; message: string }
  | { kind: 'drained' }
  /** Under this session a worker works from now on. */
  | { kind: 'session'; sessionId: string }
