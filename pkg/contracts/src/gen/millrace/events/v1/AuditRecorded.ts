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
   * success, denied, failure.
   */
  'outcome'?: (string);
  /**
   * The role in which the actor acted; empty where none counts.
   */
  'role'?: (string);
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
   * success, denied, failure.
   */
  'outcome': (string);
  /**
   * The role in which the actor acted; empty where none counts.
   */
  'role': (string);
}
