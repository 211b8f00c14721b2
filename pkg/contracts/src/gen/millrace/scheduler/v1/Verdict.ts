// Original file: proto/scheduler/v1/dispatch.proto

export const Verdict = {
  VERDICT_UNSPECIFIED: 'VERDICT_UNSPECIFIED',
  VERDICT_ACCEPTED: 'VERDICT_ACCEPTED',
  /**
   * The lease had been fenced: the result changed nothing.
   */
  VERDICT_STALE: 'VERDICT_STALE',
} as const;

export type Verdict =
  | 'VERDICT_UNSPECIFIED'
  | 0
  | 'VERDICT_ACCEPTED'
  | 1
  /**
   * The lease had been fenced: the result changed nothing.
   */
  | 'VERDICT_STALE'
  | 2

export type Verdict__Output = typeof Verdict[keyof typeof Verdict]
