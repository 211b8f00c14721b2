// Original file: proto/scheduler/v1/dispatch.proto

import type { CancelTask as _millrace_scheduler_v1_CancelTask, CancelTask__Output as _millrace_scheduler_v1_CancelTask__Output } from '../../../millrace/scheduler/v1/CancelTask.js';

/**
 * `pause`, `resume` and `drain` also come when the stream opens: they say how the worker stands with the scheduler.
 */
export interface CommandsResponse {
  'cancel'?: (_millrace_scheduler_v1_CancelTask | null);
  'pause'?: (boolean);
  'resume'?: (boolean);
  'drain'?: (boolean);
  'command'?: "cancel"|"pause"|"resume"|"drain";
}

/**
 * `pause`, `resume` and `drain` also come when the stream opens: they say how the worker stands with the scheduler.
 */
export interface CommandsResponse__Output {
  'cancel'?: (_millrace_scheduler_v1_CancelTask__Output | null);
  'pause'?: (boolean);
  'resume'?: (boolean);
  'drain'?: (boolean);
  'command'?: "cancel"|"pause"|"resume"|"drain";
}
