// Original file: proto/scheduler/v1/schedule.proto


/**
 * Who asked, for the audit log.
 */
export interface Requester {
  /**
   * Such as `user:<id>`.
   */
  'subject'?: (string);
  'ip'?: (string);
  'requestId'?: (string);
}

/**
 * Who asked, for the audit log.
 */
export interface Requester__Output {
  /**
   * Such as `user:<id>`.
   */
  'subject': (string);
  'ip': (string);
  'requestId': (string);
}
