// Original file: proto/scheduler/v1/dispatch.proto


export interface CancelTask {
  'taskId'?: (string);
  'leaseId'?: (string);
  'reason'?: (string);
}

export interface CancelTask__Output {
  'taskId': (string);
  'leaseId': (string);
  'reason': (string);
}
