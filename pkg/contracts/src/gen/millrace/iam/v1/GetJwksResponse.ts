// Original file: proto/iam/v1/iam.proto


export interface GetJwksResponse {
  'jwksJson'?: (string);
}

export interface GetJwksResponse__Output {
  'jwksJson': (string);
}
