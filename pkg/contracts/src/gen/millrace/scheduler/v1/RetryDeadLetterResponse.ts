// Original file: proto/scheduler/v1/scheduler.proto

import type { DeadLetter as _millrace_scheduler_v1_DeadLetter, DeadLetter__Output as _millrace_scheduler_v1_DeadLetter__Output } from '../../../millrace/scheduler/v1/DeadLetter.js';

export interface RetryDeadLetterResponse {
  'deadLetter'?: (_millrace_scheduler_v1_DeadLetter | null);
}

export interface RetryDeadLetterResponse__Output {
  'deadLetter': (_millrace_scheduler_v1_DeadLetter__Output | null);
}
