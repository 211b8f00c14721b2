// Original file: proto/events/v1/events.proto

import type { Long } from '@grpc/proto-loader';

/**
 * Topic queue.backlog: a queue has so many ready tasks, or one that waits so long, as the platform's settings say.
 */
export interface QueueBacklog {
  'projectId'?: (string);
  'queue'?: (string);
  'depth'?: (number);
  'oldestMs'?: (number | string | Long);
  'count'?: (number);
}

/**
 * Topic queue.backlog: a queue has so many ready tasks, or one that waits so long, as the platform's settings say.
 */
export interface QueueBacklog__Output {
  'projectId': (string);
  'queue': (string);
  'depth': (number);
  'oldestMs': (number);
  'count': (number);
}
