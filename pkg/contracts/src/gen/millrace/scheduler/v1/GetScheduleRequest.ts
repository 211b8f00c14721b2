// Original file: proto/scheduler/v1/schedule.proto


export interface GetScheduleRequest {
  'id'?: (string);
  'projectId'?: (string);
}

export interface GetScheduleRequest__Output {
  'id': (string);
  'projectId': (string);
}
