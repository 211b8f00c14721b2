// Original file: proto/scheduler/v1/dispatch.proto


export interface WorkFailure {
  /**
   * As in the metadata `millrace-code` and `millrace-reason` of a failed call.
   */
  'code'?: (string);
  'reason'?: (string);
  'message'?: (string);
  'retryable'?: (boolean);
}

export interface WorkFailure__Output {
  /**
   * As in the metadata `millrace-code` and `millrace-reason` of a failed call.
   */
  'code': (string);
  'reason': (string);
  'message': (string);
  'retryable': (boolean);
}
