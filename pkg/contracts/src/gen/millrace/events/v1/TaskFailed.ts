// Original file: proto/events/v1/events.proto

import type { Failure as _millrace_common_v1_Failure, Failure__Output as _millrace_common_v1_Failure__Output } from '../../../millrace/common/v1/Failure.js';
import type { Long } from '@grpc/proto-loader';

/**
 * Topic task.failed: a worker's claim that an attempt failed.
 */
export interface TaskFailed {
  'taskId'?: (string);
  'runId'?: (string);
  'projectId'?: (string);
  'token'?: (number | string | Long);
  'leaseId'?: (string);
  'sessionId'?: (string);
  'error'?: (_millrace_common_v1_Failure | null);
  'durationMs'?: (number | string | Long);
  'attempt'?: (number);
}

/**
 * Topic task.failed: a worker's claim that an attempt failed.
 */
export interface TaskFailed__Output {
  'taskId': (string);
  'runId': (string);
  'projectId': (string);
  'token': (number);
  'leaseId': (string);
  'sessionId': (string);
  'error': (_millrace_common_v1_Failure__Output | null);
  'durationMs': (number);
  'attempt': (number);
}
