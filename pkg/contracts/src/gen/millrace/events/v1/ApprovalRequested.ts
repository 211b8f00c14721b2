// Original file: proto/events/v1/events.proto


/**
 * Topic approval.requested.
 */
export interface ApprovalRequested {
  'taskId'?: (string);
  'runId'?: (string);
  'projectId'?: (string);
  'workflow'?: (string);
  'key'?: (string);
  'role'?: (string);
  'message'?: (string);
  'version'?: (number);
  /**
   * The run's.
   */
  'labels'?: ({[key: string]: string});
}

/**
 * Topic approval.requested.
 */
export interface ApprovalRequested__Output {
  'taskId': (string);
  'runId': (string);
  'projectId': (string);
  'workflow': (string);
  'key': (string);
  'role': (string);
  'message': (string);
  'version': (number);
  /**
   * The run's.
   */
  'labels': ({[key: string]: string});
}
