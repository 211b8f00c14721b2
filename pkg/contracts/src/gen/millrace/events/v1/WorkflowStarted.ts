// Original file: proto/events/v1/events.proto

import type { ParentTask as _millrace_common_v1_ParentTask, ParentTask__Output as _millrace_common_v1_ParentTask__Output } from '../../../millrace/common/v1/ParentTask.js';
import type { RerunSource as _millrace_common_v1_RerunSource, RerunSource__Output as _millrace_common_v1_RerunSource__Output } from '../../../millrace/common/v1/RerunSource.js';

/**
 * Topic workflow.started: a run was requested and pinned to a version.
 */
export interface WorkflowStarted {
  'runId'?: (string);
  'projectId'?: (string);
  'workflowId'?: (string);
  'workflow'?: (string);
  'version'?: (number);
  'versionId'?: (string);
  'inputJson'?: (string);
  'priority'?: (number);
  'labels'?: ({[key: string]: string});
  /**
   * RFC 3339, UTC: half of the cursor that both sides of a list share.
   */
  'createdAt'?: (string);
  'requestedBy'?: (string);
  /**
   * Submitted, not started: waits, paused, until it is resumed.
   */
  'hold'?: (boolean);
  /**
   * RFC 3339, UTC: not before then. Empty = at once.
   */
  'startAt'?: (string);
  /**
   * Set for a child run.
   */
  'parent'?: (_millrace_common_v1_ParentTask | null);
  /**
   * Set for a rerun.
   */
  'rerun'?: (_millrace_common_v1_RerunSource | null);
}

/**
 * Topic workflow.started: a run was requested and pinned to a version.
 */
export interface WorkflowStarted__Output {
  'runId': (string);
  'projectId': (string);
  'workflowId': (string);
  'workflow': (string);
  'version': (number);
  'versionId': (string);
  'inputJson': (string);
  'priority': (number);
  'labels': ({[key: string]: string});
  /**
   * RFC 3339, UTC: half of the cursor that both sides of a list share.
   */
  'createdAt': (string);
  'requestedBy': (string);
  /**
   * Submitted, not started: waits, paused, until it is resumed.
   */
  'hold': (boolean);
  /**
   * RFC 3339, UTC: not before then. Empty = at once.
   */
  'startAt': (string);
  /**
   * Set for a child run.
   */
  'parent': (_millrace_common_v1_ParentTask__Output | null);
  /**
   * Set for a rerun.
   */
  'rerun': (_millrace_common_v1_RerunSource__Output | null);
}
