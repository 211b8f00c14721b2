// Original file: proto/scheduler/v1/scheduler.proto


export interface CancelRunRequest {
  'runId'?: (string);
  'projectId'?: (string);
  'reason'?: (string);
  'requestedBy'?: (string);
}

export interface CancelRunRequest__Output {
  'runId': (string);
  'projectId': (string);
  'reason': (string);
  'requestedBy': (string);
}
