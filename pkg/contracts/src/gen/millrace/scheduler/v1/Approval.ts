// Original file: proto/scheduler/v1/scheduler.proto

import type { Run as _millrace_scheduler_v1_Run, Run__Output as _millrace_scheduler_v1_Run__Output } from '../../../millrace/scheduler/v1/Run.js';
import type { Task as _millrace_scheduler_v1_Task, Task__Output as _millrace_scheduler_v1_Task__Output } from '../../../millrace/scheduler/v1/Task.js';

/**
 * A task that waits for a person's decision.
 */
export interface Approval {
  'run'?: (_millrace_scheduler_v1_Run | null);
  'task'?: (_millrace_scheduler_v1_Task | null);
  'role'?: (string);
  'message'?: (string);
}

/**
 * A task that waits for a person's decision.
 */
export interface Approval__Output {
  'run': (_millrace_scheduler_v1_Run__Output | null);
  'task': (_millrace_scheduler_v1_Task__Output | null);
  'role': (string);
  'message': (string);
}
