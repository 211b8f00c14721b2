// Original file: proto/scheduler/v1/scheduler.proto


export interface ExplainRunRequest {
  'runId'?: (string);
  'projectId'?: (string);
}

export interface ExplainRunRequest__Output {
  'runId': (string);
  'projectId': (string);
}
