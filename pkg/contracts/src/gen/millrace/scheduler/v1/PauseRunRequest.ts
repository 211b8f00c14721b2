// Original file: proto/scheduler/v1/scheduler.proto


export interface PauseRunRequest {
  'runId'?: (string);
  'projectId'?: (string);
}

export interface PauseRunRequest__Output {
  'runId': (string);
  'projectId': (string);
}
