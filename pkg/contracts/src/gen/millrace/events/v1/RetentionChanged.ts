// Original file: proto/events/v1/events.proto


/**
 * Topic retention.changed: how long ended runs are kept. Key = project id.
 */
export interface RetentionChanged {
  'projectId'?: (string);
  /**
   * Empty: of all workflows of the project that say nothing themselves.
   */
  'workflow'?: (string);
  /**
   * As in a definition; empty = nothing is said any more.
   */
  'retentionJson'?: (string);
}

/**
 * Topic retention.changed: how long ended runs are kept. Key = project id.
 */
export interface RetentionChanged__Output {
  'projectId': (string);
  /**
   * Empty: of all workflows of the project that say nothing themselves.
   */
  'workflow': (string);
  /**
   * As in a definition; empty = nothing is said any more.
   */
  'retentionJson': (string);
}
