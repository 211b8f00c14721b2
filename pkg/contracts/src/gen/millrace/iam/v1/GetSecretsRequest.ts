// Original file: proto/iam/v1/iam.proto


export interface GetSecretsRequest {
  'projectId'?: (string);
  'names'?: (string)[];
}

export interface GetSecretsRequest__Output {
  'projectId': (string);
  'names': (string)[];
}
