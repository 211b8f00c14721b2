// Original file: proto/scheduler/v1/dispatch.proto

import type { Outcome as _millrace_scheduler_v1_Outcome, Outcome__Output as _millrace_scheduler_v1_Outcome__Output } from '../../../millrace/scheduler/v1/Outcome.js';
import type { Failure as _millrace_common_v1_Failure, Failure__Output as _millrace_common_v1_Failure__Output } from '../../../millrace/common/v1/Failure.js';
import type { Long } from '@grpc/proto-loader';

export interface TaskResult {
  'taskId'?: (string);
  'runId'?: (string);
  'token'?: (number | string | Long);
  'leaseId'?: (string);
  'outcome'?: (_millrace_scheduler_v1_Outcome);
  'outputJson'?: (string);
  'error'?: (_millrace_common_v1_Failure | null);
  'durationMs'?: (number | string | Long);
  'traceparent'?: (string);
  /**
   * With OUTCOME_HANDED_BACK: leave the task alone for so long, because its peer does not answer (an open circuit).
   * With OUTCOME_FAILED: the next attempt begins no sooner, up to the maxDelay of its retry policy (Retry-After).
   */
  'retryAfterMs'?: (number | string | Long);
  /**
   * Why, for whoever asks what the task waits for.
   */
  'handBackReason'?: (string);
}

export interface TaskResult__Output {
  'taskId': (string);
  'runId': (string);
  'token': (number);
  'leaseId': (string);
  'outcome': (_millrace_scheduler_v1_Outcome__Output);
  'outputJson': (string);
  'error': (_millrace_common_v1_Failure__Output | null);
  'durationMs': (number);
  'traceparent': (string);
  /**
   * With OUTCOME_HANDED_BACK: leave the task alone for so long, because its peer does not answer (an open circuit).
   * With OUTCOME_FAILED: the next attempt begins no sooner, up to the maxDelay of its retry policy (Retry-After).
   */
  'retryAfterMs': (number);
  /**
   * Why, for whoever asks what the task waits for.
   */
  'handBackReason': (string);
}
