// Original file: proto/iam/v1/iam.proto


export interface GetSubjectNamesRequest {
  'projectId'?: (string);
  /**
   * `user:<id>` or `key:<id>`; at most 1,000.
   */
  'subjects'?: (string)[];
}

export interface GetSubjectNamesRequest__Output {
  'projectId': (string);
  /**
   * `user:<id>` or `key:<id>`; at most 1,000.
   */
  'subjects': (string)[];
}
