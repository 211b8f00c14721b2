// Original file: proto/iam/v1/iam.proto


export interface ValidateTokenRequest {
  'token'?: (string);
  /**
   * Slug of the project the caller asks for; empty for the credential's default.
   */
  'project'?: (string);
}

export interface ValidateTokenRequest__Output {
  'token': (string);
  /**
   * Slug of the project the caller asks for; empty for the credential's default.
   */
  'project': (string);
}
