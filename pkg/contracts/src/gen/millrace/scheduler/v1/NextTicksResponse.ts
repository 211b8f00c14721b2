// Original file: proto/scheduler/v1/schedule.proto


export interface NextTicksResponse {
  'ticks'?: (string)[];
}

export interface NextTicksResponse__Output {
  'ticks': (string)[];
}
