// Original file: proto/iam/v1/iam.proto


export interface GetQuotasRequest {
  'projectId'?: (string);
}

export interface GetQuotasRequest__Output {
  'projectId': (string);
}
