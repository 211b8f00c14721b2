// Original file: proto/scheduler/v1/schedule.proto


export interface ListSchedulesRequest {
  'projectId'?: (string);
  /**
   * Empty = of every workflow.
   */
  'workflow'?: (string);
  'limit'?: (number);
  /**
   * Newest first, strictly before (created_at, id).
   */
  'beforeCreatedAt'?: (string);
  'beforeId'?: (string);
}

export interface ListSchedulesRequest__Output {
  'projectId': (string);
  /**
   * Empty = of every workflow.
   */
  'workflow': (string);
  'limit': (number);
  /**
   * Newest first, strictly before (created_at, id).
   */
  'beforeCreatedAt': (string);
  'beforeId': (string);
}
