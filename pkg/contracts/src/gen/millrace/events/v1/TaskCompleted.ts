// Original file: proto/events/v1/events.proto

import type { Long } from '@grpc/proto-loader';

/**
 * Topic task.completed: a worker's claim that it finished a task.
 */
export interface TaskCompleted {
  'taskId'?: (string);
  'runId'?: (string);
  'projectId'?: (string);
  'token'?: (number | string | Long);
  'leaseId'?: (string);
  'sessionId'?: (string);
  'outputJson'?: (string);
  'durationMs'?: (number | string | Long);
  'attempt'?: (number);
}

/**
 * Topic task.completed: a worker's claim that it finished a task.
 */
export interface TaskCompleted__Output {
  'taskId': (string);
  'runId': (string);
  'projectId': (string);
  'token': (number);
  'leaseId': (string);
  'sessionId': (string);
  'outputJson': (string);
  'durationMs': (number);
  'attempt': (number);
}
