/** What the supervisor and its children say to each other. A child begins silent, says hello, and is given its work. */
export type ToChild =
  /** `hangs`: how often a process of this name was ended because it gave no sign. */
  | { kind: 'start'; settings: unknown; hangs: number }
  /** Answered at once, unless the event loop is blocked. */
  | { kind: 'ping' }
  /** Answered with what the process measures. */
  | { kind: 'measure' }
  | { kind: 'drain' }
  | { kind: 'stop' }
  /** A worker has died, whose session this was. */
  | { kind: 'worker-died'; sessionId: string }

export type FromChild =
  | { kind: 'hello' }
  | { kind: 'pong' }
  | { kind: 'started' }
  | { kind: 'failed'; message: string }
  | { kind: 'drained' }
  | { kind: 'measured'; metrics: string }
  /** Under this session a worker works from now on. */
  | { kind: 'session'; sessionId: string }
