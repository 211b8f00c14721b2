// Original file: proto/events/v1/events.proto


/**
 * Topic task.scheduled, on Kafka alone: a task was made ready for a worker. One for each time that happens. Workers take it
 * as a hint: progress never depends on it.
 */
export interface TaskScheduled {
  'runId'?: (string);
  'projectId'?: (string);
  'taskId'?: (string);
  'queue'?: (string);
  'uses'?: (string);
}

/**
 * Topic task.scheduled, on Kafka alone: a task was made ready for a worker. One for each time that happens. Workers take it
 * as a hint: progress never depends on it.
 */
export interface TaskScheduled__Output {
  'runId': (string);
  'projectId': (string);
  'taskId': (string);
  'queue': (string);
  'uses': (string);
}
