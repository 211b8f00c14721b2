// Original file: proto/scheduler/v1/dispatch.proto

import type { Progress as _millrace_scheduler_v1_Progress, Progress__Output as _millrace_scheduler_v1_Progress__Output } from '../../../millrace/scheduler/v1/Progress.js';

export interface HeldLease {
  'taskId'?: (string);
  'leaseId'?: (string);
  /**
   * When it has changed since the last heartbeat.
   */
  'progress'?: (_millrace_scheduler_v1_Progress | null);
}

export interface HeldLease__Output {
  'taskId': (string);
  'leaseId': (string);
  /**
   * When it has changed since the last heartbeat.
   */
  'progress': (_millrace_scheduler_v1_Progress__Output | null);
}
