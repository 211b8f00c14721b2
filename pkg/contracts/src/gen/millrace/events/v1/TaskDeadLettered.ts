// Original file: proto/events/v1/events.proto

import type { Failure as _millrace_common_v1_Failure, Failure__Output as _millrace_common_v1_Failure__Output } from '../../../millrace/common/v1/Failure.js';

/**
 * Topic task.dead-lettered: a task finally failed.
 */
export interface TaskDeadLettered {
  'taskId'?: (string);
  'runId'?: (string);
  'projectId'?: (string);
  'workflow'?: (string);
  'version'?: (number);
  'key'?: (string);
  'index'?: (number);
  'attempt'?: (number);
  'error'?: (_millrace_common_v1_Failure | null);
  /**
   * The run's.
   */
  'labels'?: ({[key: string]: string});
}

/**
 * Topic task.dead-lettered: a task finally failed.
 */
export interface TaskDeadLettered__Output {
  'taskId': (string);
  'runId': (string);
  'projectId': (string);
  'workflow': (string);
  'version': (number);
  'key': (string);
  'index': (number);
  'attempt': (number);
  'error': (_millrace_common_v1_Failure__Output | null);
  /**
   * The run's.
   */
  'labels': ({[key: string]: string});
}
