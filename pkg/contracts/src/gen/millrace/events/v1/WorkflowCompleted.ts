// Original file: proto/events/v1/events.proto

import type { Failure as _millrace_common_v1_Failure, Failure__Output as _millrace_common_v1_Failure__Output } from '../../../millrace/common/v1/Failure.js';
import type { ParentTask as _millrace_common_v1_ParentTask, ParentTask__Output as _millrace_common_v1_ParentTask__Output } from '../../../millrace/common/v1/ParentTask.js';
import type { RerunSource as _millrace_common_v1_RerunSource, RerunSource__Output as _millrace_common_v1_RerunSource__Output } from '../../../millrace/common/v1/RerunSource.js';

/**
 * Topic workflow.completed: once for each generation of a run.
 */
export interface WorkflowCompleted {
  'runId'?: (string);
  'projectId'?: (string);
  'workflow'?: (string);
  'version'?: (number);
  /**
   * succeeded, failed, cancelled.
   */
  'status'?: (string);
  'reason'?: (string);
  'generation'?: (number);
  'outputJson'?: (string);
  'error'?: (_millrace_common_v1_Failure | null);
  'labels'?: ({[key: string]: string});
  'createdAt'?: (string);
  'startedAt'?: (string);
  'finishedAt'?: (string);
  /**
   * The task whose failure failed the run; empty for its own, such as its timeout.
   */
  'failedTask'?: (string);
  /**
   * If that is a map: the first of its items that failed.
   */
  'failedIndex'?: (number);
  /**
   * As in workflow.started: who or what started it.
   */
  'requestedBy'?: (string);
  'parent'?: (_millrace_common_v1_ParentTask | null);
  'rerun'?: (_millrace_common_v1_RerunSource | null);
  '_failedIndex'?: "failedIndex";
}

/**
 * Topic workflow.completed: once for each generation of a run.
 */
export interface WorkflowCompleted__Output {
  'runId': (string);
  'projectId': (string);
  'workflow': (string);
  'version': (number);
  /**
   * succeeded, failed, cancelled.
   */
  'status': (string);
  'reason': (string);
  'generation': (number);
  'outputJson': (string);
  'error': (_millrace_common_v1_Failure__Output | null);
  'labels': ({[key: string]: string});
  'createdAt': (string);
  'startedAt': (string);
  'finishedAt': (string);
  /**
   * The task whose failure failed the run; empty for its own, such as its timeout.
   */
  'failedTask': (string);
  /**
   * If that is a map: the first of its items that failed.
   */
  'failedIndex'?: (number);
  /**
   * As in workflow.started: who or what started it.
   */
  'requestedBy': (string);
  'parent': (_millrace_common_v1_ParentTask__Output | null);
  'rerun': (_millrace_common_v1_RerunSource__Output | null);
  '_failedIndex'?: "failedIndex";
}
