// Original file: proto/scheduler/v1/scheduler.proto


export interface DeleteRunsResponse {
  'deletedIds'?: (string)[];
}

export interface DeleteRunsResponse__Output {
  'deletedIds': (string)[];
}
