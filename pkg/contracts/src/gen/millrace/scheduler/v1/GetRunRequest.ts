// Original file: proto/scheduler/v1/scheduler.proto


export interface GetRunRequest {
  'runId'?: (string);
  /**
   * Set by trusted callers on the internal listener; on the public one the token decides.
   */
  'projectId'?: (string);
  /**
   * Leave the tasks out.
   */
  'withoutTasks'?: (boolean);
}

export interface GetRunRequest__Output {
  'runId': (string);
  /**
   * Set by trusted callers on the internal listener; on the public one the token decides.
   */
  'projectId': (string);
  /**
   * Leave the tasks out.
   */
  'withoutTasks': (boolean);
}
