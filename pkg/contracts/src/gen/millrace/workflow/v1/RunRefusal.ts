// Original file: proto/workflow/v1/workflow.proto


/**
 * As the status of CreateRun would say it.
 */
export interface RunRefusal {
  /**
   * One of the canonical codes, such as `unprocessable`.
   */
  'code'?: (string);
  /**
   * Stable and machine-readable, such as `invalid_input`.
   */
  'reason'?: (string);
  'message'?: (string);
}

/**
 * As the status of CreateRun would say it.
 */
export interface RunRefusal__Output {
  /**
   * One of the canonical codes, such as `unprocessable`.
   */
  'code': (string);
  /**
   * Stable and machine-readable, such as `invalid_input`.
   */
  'reason': (string);
  'message': (string);
}
