// Original file: proto/scheduler/v1/scheduler.proto


export interface ListApprovalsRequest {
  'projectId'?: (string);
  /**
   * The caller's: approvals that it may decide.
   */
  'role'?: (string);
  'limit'?: (number);
  /**
   * Strictly after (created_at of the run, task id).
   */
  'afterCreatedAt'?: (string);
  'afterId'?: (string);
}

export interface ListApprovalsRequest__Output {
  'projectId': (string);
  /**
   * The caller's: approvals that it may decide.
   */
  'role': (string);
  'limit': (number);
  /**
   * Strictly after (created_at of the run, task id).
   */
  'afterCreatedAt': (string);
  'afterId': (string);
}
