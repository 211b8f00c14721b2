// Original file: proto/scheduler/v1/schedule.proto


export interface CountSchedulesRequest {
  'projectId'?: (string);
}

export interface CountSchedulesRequest__Output {
  'projectId': (string);
}
