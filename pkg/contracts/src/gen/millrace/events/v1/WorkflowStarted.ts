// Original file: proto/events/v1/events.proto


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
}
