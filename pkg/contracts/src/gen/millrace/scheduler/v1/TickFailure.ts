// Original file: proto/scheduler/v1/schedule.proto


/**
 * The last tick that could not become a run.
 */
export interface TickFailure {
  /**
   * RFC 3339, UTC, as every time here.
   */
  'tick'?: (string);
  'at'?: (string);
  'code'?: (string);
  'message'?: (string);
}

/**
 * The last tick that could not become a run.
 */
export interface TickFailure__Output {
  /**
   * RFC 3339, UTC, as every time here.
   */
  'tick': (string);
  'at': (string);
  'code': (string);
  'message': (string);
}
