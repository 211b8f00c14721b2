// Original file: proto/scheduler/v1/scheduler.proto


export interface FindOutputUsersRequest {
  'artifactIds'?: (string)[];
}

export interface FindOutputUsersRequest__Output {
  'artifactIds': (string)[];
}
