// Original file: proto/scheduler/v1/control.proto

import type { Queue as _millrace_scheduler_v1_Queue, Queue__Output as _millrace_scheduler_v1_Queue__Output } from '../../../millrace/scheduler/v1/Queue.js';

export interface UpdateQueueResponse {
  'queue'?: (_millrace_scheduler_v1_Queue | null);
}

export interface UpdateQueueResponse__Output {
  'queue': (_millrace_scheduler_v1_Queue__Output | null);
}
