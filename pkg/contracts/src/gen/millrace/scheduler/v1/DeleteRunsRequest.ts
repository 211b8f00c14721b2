// Original file: proto/scheduler/v1/scheduler.proto


export interface DeleteRunsRequest {
  'projectId'?: (string);
  'runIds'?: (string)[];
}

export interface DeleteRunsRequest__Output {
  'projectId': (string);
  'runIds': (string)[];
}
