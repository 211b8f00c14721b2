// Original file: proto/scheduler/v1/control.proto


export interface ListWorkersRequest {
  'projectId'?: (string);
  /**
   * The caller is a platform administrator, who alone sees and controls the platform's own workers.
   */
  'withShared'?: (boolean);
  'limit'?: (number);
  /**
   * Newest first, strictly before (started_at, session_id).
   */
  'beforeStartedAt'?: (string);
  'beforeSessionId'?: (string);
  /**
   * Empty = in any state.
   */
  'state'?: (string);
}

export interface ListWorkersRequest__Output {
  'projectId': (string);
  /**
   * The caller is a platform administrator, who alone sees and controls the platform's own workers.
   */
  'withShared': (boolean);
  'limit': (number);
  /**
   * Newest first, strictly before (started_at, session_id).
   */
  'beforeStartedAt': (string);
  'beforeSessionId': (string);
  /**
   * Empty = in any state.
   */
  'state': (string);
}
