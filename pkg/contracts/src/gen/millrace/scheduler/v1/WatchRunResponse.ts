// Original file: proto/scheduler/v1/scheduler.proto

import type { GetRunResponse as _millrace_scheduler_v1_GetRunResponse, GetRunResponse__Output as _millrace_scheduler_v1_GetRunResponse__Output } from '../../../millrace/scheduler/v1/GetRunResponse.js';
import type { Run as _millrace_scheduler_v1_Run, Run__Output as _millrace_scheduler_v1_Run__Output } from '../../../millrace/scheduler/v1/Run.js';
import type { Task as _millrace_scheduler_v1_Task, Task__Output as _millrace_scheduler_v1_Task__Output } from '../../../millrace/scheduler/v1/Task.js';

export interface WatchRunResponse {
  'snapshot'?: (_millrace_scheduler_v1_GetRunResponse | null);
  'run'?: (_millrace_scheduler_v1_Run | null);
  'task'?: (_millrace_scheduler_v1_Task | null);
  'change'?: "snapshot"|"run"|"task";
}

export interface WatchRunResponse__Output {
  'snapshot'?: (_millrace_scheduler_v1_GetRunResponse__Output | null);
  'run'?: (_millrace_scheduler_v1_Run__Output | null);
  'task'?: (_millrace_scheduler_v1_Task__Output | null);
  'change'?: "snapshot"|"run"|"task";
}
