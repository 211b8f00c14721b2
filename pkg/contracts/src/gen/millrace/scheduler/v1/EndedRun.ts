// Original file: proto/scheduler/v1/scheduler.proto


export interface EndedRun {
  'id'?: (string);
  'status'?: (string);
  /**
   * RFC 3339, UTC; started_at is empty for a run that never started.
   */
  'createdAt'?: (string);
  'startedAt'?: (string);
  'finishedAt'?: (string);
}

export interface EndedRun__Output {
  'id': (string);
  'status': (string);
  /**
   * RFC 3339, UTC; started_at is empty for a run that never started.
   */
  'createdAt': (string);
  'startedAt': (string);
  'finishedAt': (string);
}
