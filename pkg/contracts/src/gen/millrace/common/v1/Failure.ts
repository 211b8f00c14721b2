// Original file: proto/common/v1/error.proto


/**
 * Why a task or a run failed, as a person and a program both need to read it.
 */
export interface Failure {
  /**
   * Stable and machine-readable, such as `http_status` or `exit_code`.
   */
  'code'?: (string);
  'message'?: (string);
  /**
   * One of the error classes of the outside contract: timeout, http_4xx, user, …
   */
  'class'?: (string);
  'retryable'?: (boolean);
}

/**
 * Why a task or a run failed, as a person and a program both need to read it.
 */
export interface Failure__Output {
  /**
   * Stable and machine-readable, such as `http_status` or `exit_code`.
   */
  'code': (string);
  'message': (string);
  /**
   * One of the error classes of the outside contract: timeout, http_4xx, user, …
   */
  'class': (string);
  'retryable': (boolean);
}
