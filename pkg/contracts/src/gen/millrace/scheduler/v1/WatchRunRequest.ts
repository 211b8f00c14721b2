// Original file: proto/scheduler/v1/scheduler.proto


export interface WatchRunRequest {
  'runId'?: (string);
  'projectId'?: (string);
}

export interface WatchRunRequest__Output {
  'runId': (string);
  'projectId': (string);
}
