// Original file: proto/scheduler/v1/scheduler.proto


export interface HoldsLeaseRequest {
  'sessionId'?: (string);
  'runId'?: (string);
}

export interface HoldsLeaseRequest__Output {
  'sessionId': (string);
  'runId': (string);
}
