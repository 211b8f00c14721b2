// Original file: proto/workflow/v1/workflow.proto


export interface GetVersionResponse {
  'versionId'?: (string);
  'projectId'?: (string);
  'workflow'?: (string);
  'version'?: (number);
  /**
   * The normalised definition.
   */
  'definitionJson'?: (string);
}

export interface GetVersionResponse__Output {
  'versionId': (string);
  'projectId': (string);
  'workflow': (string);
  'version': (number);
  /**
   * The normalised definition.
   */
  'definitionJson': (string);
}
