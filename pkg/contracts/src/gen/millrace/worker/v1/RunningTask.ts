// Original file: proto/worker/v1/worker.proto


export interface RunningTask {
  'taskId'?: (string);
  'runId'?: (string);
  'key'?: (string);
  'uses'?: (string);
  'attempt'?: (number);
  /**
   * RFC 3339, UTC.
   */
  'startedAt'?: (string);
}

export interface RunningTask__Output {
  'taskId': (string);
  'runId': (string);
  'key': (string);
  'uses': (string);
  'attempt': (number);
  /**
   * RFC 3339, UTC.
   */
  'startedAt': (string);
}
