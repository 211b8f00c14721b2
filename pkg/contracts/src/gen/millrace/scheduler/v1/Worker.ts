// Original file: proto/scheduler/v1/control.proto


export interface Worker {
  /**
   * As it stands in a task's worker_id.
   */
  'id'?: (string);
  'name'?: (string);
  /**
   * active, paused, draining, lost.
   */
  'state'?: (string);
  /**
   * Serves every project: the platform's own.
   */
  'shared'?: (boolean);
  'queues'?: (string)[];
  'executors'?: (string)[];
  'concurrency'?: (number);
  'running'?: (number);
  'sdk'?: (string);
  'version'?: (string);
  /**
   * RFC 3339, UTC, as every time here.
   */
  'startedAt'?: (string);
  'lastSeenAt'?: (string);
  'sessionId'?: (string);
}

export interface Worker__Output {
  /**
   * As it stands in a task's worker_id.
   */
  'id': (string);
  'name': (string);
  /**
   * active, paused, draining, lost.
   */
  'state': (string);
  /**
   * Serves every project: the platform's own.
   */
  'shared': (boolean);
  'queues': (string)[];
  'executors': (string)[];
  'concurrency': (number);
  'running': (number);
  'sdk': (string);
  'version': (string);
  /**
   * RFC 3339, UTC, as every time here.
   */
  'startedAt': (string);
  'lastSeenAt': (string);
  'sessionId': (string);
}
