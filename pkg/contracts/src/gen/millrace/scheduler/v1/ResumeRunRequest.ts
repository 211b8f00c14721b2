// Original file: proto/scheduler/v1/scheduler.proto


export interface ResumeRunRequest {
  'runId'?: (string);
  'projectId'?: (string);
}

export interface ResumeRunRequest__Output {
  'runId': (string);
  'projectId': (string);
}
