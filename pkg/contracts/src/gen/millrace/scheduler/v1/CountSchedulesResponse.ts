// Original file: proto/scheduler/v1/schedule.proto


export interface CountSchedulesResponse {
  'count'?: (number);
}

export interface CountSchedulesResponse__Output {
  'count': (number);
}
