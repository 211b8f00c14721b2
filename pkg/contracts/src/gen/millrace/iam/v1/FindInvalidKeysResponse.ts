// Original file: proto/iam/v1/iam.proto


export interface FindInvalidKeysResponse {
  'ids'?: (string)[];
}

export interface FindInvalidKeysResponse__Output {
  'ids': (string)[];
}
