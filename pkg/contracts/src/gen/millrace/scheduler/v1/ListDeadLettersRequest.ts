// Original file: proto/scheduler/v1/scheduler.proto


export interface ListDeadLettersRequest {
  'projectId'?: (string);
  'workflow'?: (string);
  /**
   * One or several, separated by commas; likewise the state.
   */
  'class'?: (string);
  'state'?: (string);
  /**
   * RFC 3339; half open [from, to).
   */
  'from'?: (string);
  'to'?: (string);
  'limit'?: (number);
  /**
   * Newest first, strictly before (at, id).
   */
  'beforeAt'?: (string);
  'beforeId'?: (string);
  'runId'?: (string);
}

export interface ListDeadLettersRequest__Output {
  'projectId': (string);
  'workflow': (string);
  /**
   * One or several, separated by commas; likewise the state.
   */
  'class': (string);
  'state': (string);
  /**
   * RFC 3339; half open [from, to).
   */
  'from': (string);
  'to': (string);
  'limit': (number);
  /**
   * Newest first, strictly before (at, id).
   */
  'beforeAt': (string);
  'beforeId': (string);
  'runId': (string);
}
