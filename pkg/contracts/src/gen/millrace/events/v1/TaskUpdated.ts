// Original file: proto/events/v1/events.proto

import type { Failure as _millrace_common_v1_Failure, Failure__Output as _millrace_common_v1_Failure__Output } from '../../../millrace/common/v1/Failure.js';

/**
 * Topic task.updated: what is so. One for each task and transaction; `sequence` is the task row's rev.
 */
export interface TaskUpdated {
  'taskId'?: (string);
  'runId'?: (string);
  'projectId'?: (string);
  'workflow'?: (string);
  'version'?: (number);
  'key'?: (string);
  /**
   * -1 = not a map's child.
   */
  'index'?: (number);
  'uses'?: (string);
  'queue'?: (string);
  'status'?: (string);
  'attempt'?: (number);
  'maxAttempts'?: (number);
  'workerId'?: (string);
  'error'?: (_millrace_common_v1_Failure | null);
  /**
   * The run's, where the sender has them at hand: at least in the first event of a task.
   */
  'labels'?: ({[key: string]: string});
  /**
   * It was made ready in this transaction although it does not read "queued": a worker had already asked for it.
   */
  'scheduled'?: (boolean);
}

/**
 * Topic task.updated: what is so. One for each task and transaction; `sequence` is the task row's rev.
 */
export interface TaskUpdated__Output {
  'taskId': (string);
  'runId': (string);
  'projectId': (string);
  'workflow': (string);
  'version': (number);
  'key': (string);
  /**
   * -1 = not a map's child.
   */
  'index': (number);
  'uses': (string);
  'queue': (string);
  'status': (string);
  'attempt': (number);
  'maxAttempts': (number);
  'workerId': (string);
  'error': (_millrace_common_v1_Failure__Output | null);
  /**
   * The run's, where the sender has them at hand: at least in the first event of a task.
   */
  'labels': ({[key: string]: string});
  /**
   * It was made ready in this transaction although it does not read "queued": a worker had already asked for it.
   */
  'scheduled': (boolean);
}
