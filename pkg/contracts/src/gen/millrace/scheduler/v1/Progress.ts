// Original file: proto/scheduler/v1/run.proto


/**
 * How far a running attempt is, as its worker says.
 */
export interface Progress {
  /**
   * 0 to 100.
   */
  'percent'?: (number | string);
  /**
   * At most 500 characters are kept.
   */
  'message'?: (string);
  /**
   * Set by the scheduler: counts the changes.
   */
  'number'?: (number);
  '_percent'?: "percent";
}

/**
 * How far a running attempt is, as its worker says.
 */
export interface Progress__Output {
  /**
   * 0 to 100.
   */
  'percent'?: (number);
  /**
   * At most 500 characters are kept.
   */
  'message': (string);
  /**
   * Set by the scheduler: counts the changes.
   */
  'number': (number);
  '_percent'?: "percent";
}
