// Original file: proto/events/v1/events.proto


/**
 * Topic task.scheduled: a hint for workers; progress never depends on it.
 */
export interface TaskScheduled {
  'runId'?: (string);
  'projectId'?: (string);
  'taskId'?: (string);
  'queue'?: (string);
  'uses'?: (string);
}

/**
 * Topic task.scheduled: a hint for workers; progress never depends on it.
 */
export interface TaskScheduled__Output {
  'runId': (string);
  'projectId': (string);
  'taskId': (string);
  'queue': (string);
  'uses': (string);
}
