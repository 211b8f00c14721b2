// Original file: proto/events/v1/events.proto


/**
 * Topic task.progress: a hint that a running task said how far it is; how far is read from the scheduler.
 */
export interface TaskProgress {
  'taskId'?: (string);
  'runId'?: (string);
  'projectId'?: (string);
}

/**
 * Topic task.progress: a hint that a running task said how far it is; how far is read from the scheduler.
 */
export interface TaskProgress__Output {
  'taskId': (string);
  'runId': (string);
  'projectId': (string);
}
