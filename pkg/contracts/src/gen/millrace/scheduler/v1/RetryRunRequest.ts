// Original file: proto/scheduler/v1/scheduler.proto


export interface RetryRunRequest {
  'runId'?: (string);
  'projectId'?: (string);
}

export interface RetryRunRequest__Output {
  'runId': (string);
  'projectId': (string);
}
