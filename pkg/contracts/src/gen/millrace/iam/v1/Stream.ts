// Original file: proto/iam/v1/iam.proto


export interface Stream {
  'id'?: (string);
  'projectId'?: (string);
}

export interface Stream__Output {
  'id': (string);
  'projectId': (string);
}
