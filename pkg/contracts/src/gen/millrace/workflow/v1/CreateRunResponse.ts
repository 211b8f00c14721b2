// Original file: proto/workflow/v1/workflow.proto


export interface CreateRunResponse {
  'runId'?: (string);
  'workflow'?: (string);
  'version'?: (number);
  /**
   * RFC 3339, UTC.
   */
  'createdAt'?: (string);
  /**
   * True when the dedupe key had been seen before.
   */
  'existing'?: (boolean);
}

export interface CreateRunResponse__Output {
  'runId': (string);
  'workflow': (string);
  'version': (number);
  /**
   * RFC 3339, UTC.
   */
  'createdAt': (string);
  /**
   * True when the dedupe key had been seen before.
   */
  'existing': (boolean);
}
