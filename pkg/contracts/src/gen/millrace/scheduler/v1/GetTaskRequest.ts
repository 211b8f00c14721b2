// Original file: proto/scheduler/v1/scheduler.proto


export interface GetTaskRequest {
  'taskId'?: (string);
  'projectId'?: (string);
}

export interface GetTaskRequest__Output {
  'taskId': (string);
  'projectId': (string);
}
