// Original file: proto/scheduler/v1/scheduler.proto

import type { Run as _millrace_scheduler_v1_Run, Run__Output as _millrace_scheduler_v1_Run__Output } from '../../../millrace/scheduler/v1/Run.js';
import type { Task as _millrace_scheduler_v1_Task, Task__Output as _millrace_scheduler_v1_Task__Output } from '../../../millrace/scheduler/v1/Task.js';

export interface GetRunResponse {
  'run'?: (_millrace_scheduler_v1_Run | null);
  'tasks'?: (_millrace_scheduler_v1_Task)[];
}

export interface GetRunResponse__Output {
  'run': (_millrace_scheduler_v1_Run__Output | null);
  'tasks': (_millrace_scheduler_v1_Task__Output)[];
}
