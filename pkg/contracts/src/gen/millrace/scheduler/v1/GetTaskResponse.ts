// Original file: proto/scheduler/v1/scheduler.proto

import type { Task as _millrace_scheduler_v1_Task, Task__Output as _millrace_scheduler_v1_Task__Output } from '../../../millrace/scheduler/v1/Task.js';

export interface GetTaskResponse {
  'task'?: (_millrace_scheduler_v1_Task | null);
}

export interface GetTaskResponse__Output {
  'task': (_millrace_scheduler_v1_Task__Output | null);
}
