// Original file: proto/workflow/v1/workflow.proto

import type { ParentTask as _millrace_common_v1_ParentTask, ParentTask__Output as _millrace_common_v1_ParentTask__Output } from '../../../millrace/common/v1/ParentTask.js';

export interface CreateRunRequest {
  'projectId'?: (string);
  'workflow'?: (string);
  /**
   * 0 = newest.
   */
  'version'?: (number);
  /**
   * Empty = no input.
   */
  'inputJson'?: (string);
  /**
   * 0–9, 9 first; absent = 5.
   */
  'priority'?: (number);
  'labels'?: ({[key: string]: string});
  /**
   * Empty = every call makes a new run.
   */
  'dedupeKey'?: (string);
  /**
   * Who asked, such as `user:<id>`.
   */
  'requestedBy'?: (string);
  /**
   * Submitted, not started, until it is resumed.
   */
  'hold'?: (boolean);
  /**
   * RFC 3339, UTC: not before then. Empty = at once.
   */
  'startAt'?: (string);
  /**
   * The id of the new run, derived from dedupe_key so that a cancel can be addressed before it is created; empty = any.
   */
  'runId'?: (string);
  /**
   * Set for a child run.
   */
  'parent'?: (_millrace_common_v1_ParentTask | null);
  '_priority'?: "priority";
}

export interface CreateRunRequest__Output {
  'projectId': (string);
  'workflow': (string);
  /**
   * 0 = newest.
   */
  'version': (number);
  /**
   * Empty = no input.
   */
  'inputJson': (string);
  /**
   * 0–9, 9 first; absent = 5.
   */
  'priority'?: (number);
  'labels': ({[key: string]: string});
  /**
   * Empty = every call makes a new run.
   */
  'dedupeKey': (string);
  /**
   * Who asked, such as `user:<id>`.
   */
  'requestedBy': (string);
  /**
   * Submitted, not started, until it is resumed.
   */
  'hold': (boolean);
  /**
   * RFC 3339, UTC: not before then. Empty = at once.
   */
  'startAt': (string);
  /**
   * The id of the new run, derived from dedupe_key so that a cancel can be addressed before it is created; empty = any.
   */
  'runId': (string);
  /**
   * Set for a child run.
   */
  'parent': (_millrace_common_v1_ParentTask__Output | null);
  '_priority'?: "priority";
}
