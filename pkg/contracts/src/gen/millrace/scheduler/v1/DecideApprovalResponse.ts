// Original file: proto/scheduler/v1/scheduler.proto

import type { Run as _millrace_scheduler_v1_Run, Run__Output as _millrace_scheduler_v1_Run__Output } from '../../../millrace/scheduler/v1/Run.js';

export interface DecideApprovalResponse {
  'run'?: (_millrace_scheduler_v1_Run | null);
}

export interface DecideApprovalResponse__Output {
  'run': (_millrace_scheduler_v1_Run__Output | null);
}
