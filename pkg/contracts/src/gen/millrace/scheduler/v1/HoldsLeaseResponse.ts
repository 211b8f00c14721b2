// Original file: proto/scheduler/v1/scheduler.proto


export interface HoldsLeaseResponse {
  'holds'?: (boolean);
  'projectId'?: (string);
}

export interface HoldsLeaseResponse__Output {
  'holds': (boolean);
  'projectId': (string);
}
