// Original file: proto/scheduler/v1/scheduler.proto


export interface ReadChangedRequest {
  'runIds'?: (string)[];
  'taskIds'?: (string)[];
}

export interface ReadChangedRequest__Output {
  'runIds': (string)[];
  'taskIds': (string)[];
}
