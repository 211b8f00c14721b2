// Original file: proto/events/v1/events.proto


/**
 * Topic audit.recorded: every mutation, by every service, from its outbox.
 */
export interface AuditRecorded {
  'projectId'?: (string);
  'actor'?: (string);
  /**
   * Such as `api_key.created`.
   */
  'action'?: (string);
  'target'?: (string);
  'ip'?: (string);
  'requestId'?: (string);
  /**
   * success, denied, failed.
   */
  'outcome'?: (string);
}

/**
 * Topic audit.recorded: every mutation, by every service, from its outbox.
 */
export interface AuditRecorded__Output {
  'projectId': (string);
  'actor': (string);
  /**
   * Such as `api_key.created`.
   */
  'action': (string);
  'target': (string);
  'ip': (string);
  'requestId': (string);
  /**
   * success, denied, failed.
   */
  'outcome': (string);
}
