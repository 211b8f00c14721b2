// Original file: proto/workflow/v1/workflow.proto


export interface GetVersionRequest {
  /**
   * Versions are immutable, so an answer may be cached for ever.
   */
  'versionId'?: (string);
}

export interface GetVersionRequest__Output {
  /**
   * Versions are immutable, so an answer may be cached for ever.
   */
  'versionId': (string);
}
