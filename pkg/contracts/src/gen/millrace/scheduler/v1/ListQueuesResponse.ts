// Original file: proto/scheduler/v1/control.proto

import type { Queue as _millrace_scheduler_v1_Queue, Queue__Output as _millrace_scheduler_v1_Queue__Output } from '../../../millrace/scheduler/v1/Queue.js';

export interface ListQueuesResponse {
  'queues'?: (_millrace_scheduler_v1_Queue)[];
  /**
   * Ready tasks in all queues of the project, whatever the page.
   */
  'waiting'?: (number);
}

export interface ListQueuesResponse__Output {
  'queues': (_millrace_scheduler_v1_Queue__Output)[];
  /**
   * Ready tasks in all queues of the project, whatever the page.
   */
  'waiting': (number);
}
