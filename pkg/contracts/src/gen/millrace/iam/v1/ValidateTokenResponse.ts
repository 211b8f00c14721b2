// Original file: proto/iam/v1/iam.proto


export interface ValidateTokenResponse {
  'valid'?: (boolean);
  'userId'?: (string);
  /**
   * Slug of the project the identity is bound to.
   */
  'project'?: (string);
  'role'?: (string);
  /**
   * RFC 3339, UTC.
   */
  'expiresAt'?: (string);
  /**
   * Why `valid` is false: expired, revoked, unknown, malformed, disabled, no_project.
   */
  'reason'?: (string);
  'projectId'?: (string);
  'admin'?: (boolean);
  /**
   * `user:<id>` or `key:<id>`.
   */
  'subject'?: (string);
}

export interface ValidateTokenResponse__Output {
  'valid': (boolean);
  'userId': (string);
  /**
   * Slug of the project the identity is bound to.
   */
  'project': (string);
  'role': (string);
  /**
   * RFC 3339, UTC.
   */
  'expiresAt': (string);
  /**
   * Why `valid` is false: expired, revoked, unknown, malformed, disabled, no_project.
   */
  'reason': (string);
  'projectId': (string);
  'admin': (boolean);
  /**
   * `user:<id>` or `key:<id>`.
   */
  'subject': (string);
}
