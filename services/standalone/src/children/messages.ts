/** What the supervisor and its children say to each other. A child is born silent, says hello, and is given its work. */
export type ToChild = { kind: 'start'; settings: unknown } | { kind: 'drain' } | { kind: 'stop' }

export type FromChild =
  | { kind: 'hello' }
  | { kind: 'started' }
  | { kind: 'failed'; message: string }
  | { kind: 'drained' }
