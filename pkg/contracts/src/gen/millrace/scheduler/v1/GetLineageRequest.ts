// Original file: proto/scheduler/v1/scheduler.proto


export interface GetLineageRequest {
  'projectId'?: (string);
  'runId'?: (string);
}

export interface GetLineageRequest__Output {
  'projectId': (string);
  'runId': (string);
}
