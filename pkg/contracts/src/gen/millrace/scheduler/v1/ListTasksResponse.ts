// Original file: proto/scheduler/v1/scheduler.proto

import type { Task as _millrace_scheduler_v1_Task, Task__Output as _millrace_scheduler_v1_Task__Output } from '../../../millrace/scheduler/v1/Task.js';

export interface ListTasksResponse {
  'tasks'?: (_millrace_scheduler_v1_Task)[];
  'nextCursor'?: (string);
}

export interface ListTasksResponse__Output {
  'tasks': (_millrace_scheduler_v1_Task__Output)[];
  'nextCursor': (string);
}
