// Original file: proto/scheduler/v1/schedule.proto


export interface NextTicksRequest {
  'id'?: (string);
  'projectId'?: (string);
  'count'?: (number);
}

export interface NextTicksRequest__Output {
  'id': (string);
  'projectId': (string);
  'count': (number);
}
