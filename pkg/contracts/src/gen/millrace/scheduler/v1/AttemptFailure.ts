// Original file: proto/scheduler/v1/scheduler.proto

import type { Failure as _millrace_common_v1_Failure, Failure__Output as _millrace_common_v1_Failure__Output } from '../../../millrace/common/v1/Failure.js';

export interface AttemptFailure {
  'attempt'?: (number);
  /**
   * RFC 3339, UTC.
   */
  'at'?: (string);
  'workerId'?: (string);
  'error'?: (_millrace_common_v1_Failure | null);
}

export interface AttemptFailure__Output {
  'attempt': (number);
  /**
   * RFC 3339, UTC.
   */
  'at': (string);
  'workerId': (string);
  'error': (_millrace_common_v1_Failure__Output | null);
}
