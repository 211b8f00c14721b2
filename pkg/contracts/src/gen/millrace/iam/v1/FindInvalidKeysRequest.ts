// Original file: proto/iam/v1/iam.proto


export interface FindInvalidKeysRequest {
  /**
   * At most 1,000.
   */
  'ids'?: (string)[];
}

export interface FindInvalidKeysRequest__Output {
  /**
   * At most 1,000.
   */
  'ids': (string)[];
}
