// Original file: proto/scheduler/v1/scheduler.proto

import type { Run as _millrace_scheduler_v1_Run, Run__Output as _millrace_scheduler_v1_Run__Output } from '../../../millrace/scheduler/v1/Run.js';
import type { Task as _millrace_scheduler_v1_Task, Task__Output as _millrace_scheduler_v1_Task__Output } from '../../../millrace/scheduler/v1/Task.js';

export interface ReadChangedResponse {
  /**
   * The run that changed, or whose task did: then without input and output.
   */
  'run'?: (_millrace_scheduler_v1_Run | null);
  /**
   * Absent when the run itself was asked for.
   */
  'task'?: (_millrace_scheduler_v1_Task | null);
}

export interface ReadChangedResponse__Output {
  /**
   * The run that changed, or whose task did: then without input and output.
   */
  'run': (_millrace_scheduler_v1_Run__Output | null);
  /**
   * Absent when the run itself was asked for.
   */
  'task': (_millrace_scheduler_v1_Task__Output | null);
}
