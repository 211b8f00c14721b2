// Original file: proto/scheduler/v1/dispatch.proto


export interface HeldLease {
  'taskId'?: (string);
  'leaseId'?: (string);
}

export interface HeldLease__Output {
  'taskId': (string);
  'leaseId': (string);
}
