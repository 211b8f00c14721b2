// Original file: proto/scheduler/v1/scheduler.proto


export interface DeleteDeadLetterRequest {
  'id'?: (string);
  'projectId'?: (string);
}

export interface DeleteDeadLetterRequest__Output {
  'id': (string);
  'projectId': (string);
}
