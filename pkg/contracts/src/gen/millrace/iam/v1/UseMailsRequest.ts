// Original file: proto/iam/v1/iam.proto


export interface UseMailsRequest {
  'projectId'?: (string);
  'mails'?: (number);
}

export interface UseMailsRequest__Output {
  'projectId': (string);
  'mails': (number);
}
