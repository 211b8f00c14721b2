// Original file: proto/scheduler/v1/scheduler.proto


export interface RetryRunRequest {
  'runId'?: (string);
  'projectId'?: (string);
  /**
   * Only while the run is of this generation, so that a request may be repeated; 0: of any.
   */
  'generation'?: (number);
}

export interface RetryRunRequest__Output {
  'runId': (string);
  'projectId': (string);
  /**
   * Only while the run is of this generation, so that a request may be repeated; 0: of any.
   */
  'generation': (number);
}
