// Original file: proto/scheduler/v1/scheduler.proto


export interface RetryDeadLetterRequest {
  'id'?: (string);
  'projectId'?: (string);
  /**
   * Replaces the resolved `with`; empty = as it was.
   */
  'inputJson'?: (string);
  /**
   * The caller may write definitions, hence also place secrets in the input.
   */
  'mayPlaceSecrets'?: (boolean);
}

export interface RetryDeadLetterRequest__Output {
  'id': (string);
  'projectId': (string);
  /**
   * Replaces the resolved `with`; empty = as it was.
   */
  'inputJson': (string);
  /**
   * The caller may write definitions, hence also place secrets in the input.
   */
  'mayPlaceSecrets': (boolean);
}
