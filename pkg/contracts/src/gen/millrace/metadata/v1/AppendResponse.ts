// Original file: proto/metadata/v1/log.proto


export interface AppendResponse {
  'accepted'?: (number);
}

export interface AppendResponse__Output {
  'accepted': (number);
}
