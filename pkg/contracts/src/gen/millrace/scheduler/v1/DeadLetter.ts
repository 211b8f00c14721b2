// Original file: proto/scheduler/v1/scheduler.proto

import type { Failure as _millrace_common_v1_Failure, Failure__Output as _millrace_common_v1_Failure__Output } from '../../../millrace/common/v1/Failure.js';
import type { AttemptFailure as _millrace_scheduler_v1_AttemptFailure, AttemptFailure__Output as _millrace_scheduler_v1_AttemptFailure__Output } from '../../../millrace/scheduler/v1/AttemptFailure.js';

export interface DeadLetter {
  'id'?: (string);
  'runId'?: (string);
  'projectId'?: (string);
  'workflow'?: (string);
  'version'?: (number);
  'taskId'?: (string);
  'taskKey'?: (string);
  'index'?: (number);
  'error'?: (_millrace_common_v1_Failure | null);
  /**
   * Oldest first.
   */
  'attempts'?: (_millrace_scheduler_v1_AttemptFailure)[];
  /**
   * The resolved `with` of the last attempt.
   */
  'inputJson'?: (string);
  /**
   * RFC 3339, UTC.
   */
  'at'?: (string);
  /**
   * open, retried, deleted.
   */
  'state'?: (string);
  '_index'?: "index";
}

export interface DeadLetter__Output {
  'id': (string);
  'runId': (string);
  'projectId': (string);
  'workflow': (string);
  'version': (number);
  'taskId': (string);
  'taskKey': (string);
  'index'?: (number);
  'error': (_millrace_common_v1_Failure__Output | null);
  /**
   * Oldest first.
   */
  'attempts': (_millrace_scheduler_v1_AttemptFailure__Output)[];
  /**
   * The resolved `with` of the last attempt.
   */
  'inputJson': (string);
  /**
   * RFC 3339, UTC.
   */
  'at': (string);
  /**
   * open, retried, deleted.
   */
  'state': (string);
  '_index'?: "index";
}
