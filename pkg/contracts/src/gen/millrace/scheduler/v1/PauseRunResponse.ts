// Original file: proto/scheduler/v1/scheduler.proto

import type { Run as _millrace_scheduler_v1_Run, Run__Output as _millrace_scheduler_v1_Run__Output } from '../../../millrace/scheduler/v1/Run.js';

export interface PauseRunResponse {
  /**
   * Absent when the run has not reached the scheduler yet: the command is kept and applied when it is created.
   */
  'run'?: (_millrace_scheduler_v1_Run | null);
}

export interface PauseRunResponse__Output {
  /**
   * Absent when the run has not reached the scheduler yet: the command is kept and applied when it is created.
   */
  'run': (_millrace_scheduler_v1_Run__Output | null);
}
