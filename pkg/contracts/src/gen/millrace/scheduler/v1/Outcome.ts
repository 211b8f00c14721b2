// Original file: proto/scheduler/v1/dispatch.proto

export const Outcome = {
  OUTCOME_UNSPECIFIED: 'OUTCOME_UNSPECIFIED',
  OUTCOME_SUCCEEDED: 'OUTCOME_SUCCEEDED',
  OUTCOME_FAILED: 'OUTCOME_FAILED',
  /**
   * Never started or given back on purpose: no attempt is used up.
   */
  OUTCOME_HANDED_BACK: 'OUTCOME_HANDED_BACK',
} as const;

export type Outcome =
  | 'OUTCOME_UNSPECIFIED'
  | 0
  | 'OUTCOME_SUCCEEDED'
  | 1
  | 'OUTCOME_FAILED'
  | 2
  /**
   * Never started or given back on purpose: no attempt is used up.
   */
  | 'OUTCOME_HANDED_BACK'
  | 3

export type Outcome__Output = typeof Outcome[keyof typeof Outcome]
