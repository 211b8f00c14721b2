// Original file: proto/iam/v1/iam.proto


export interface OpenStreamResponse {
  'allowed'?: (boolean);
}

export interface OpenStreamResponse__Output {
  'allowed': (boolean);
}
