// Original file: proto/scheduler/v1/scheduler.proto


export interface GetDeadLetterRequest {
  'id'?: (string);
  'projectId'?: (string);
}

export interface GetDeadLetterRequest__Output {
  'id': (string);
  'projectId': (string);
}
