// Original file: proto/scheduler/v1/scheduler.proto

import type { Run as _millrace_scheduler_v1_Run, Run__Output as _millrace_scheduler_v1_Run__Output } from '../../../millrace/scheduler/v1/Run.js';

export interface SendSignalResponse {
  /**
   * Absent when the run has not reached the scheduler yet: the signal is kept for it.
   */
  'run'?: (_millrace_scheduler_v1_Run | null);
}

export interface SendSignalResponse__Output {
  /**
   * Absent when the run has not reached the scheduler yet: the signal is kept for it.
   */
  'run': (_millrace_scheduler_v1_Run__Output | null);
}
