// Original file: proto/scheduler/v1/scheduler.proto

import type { Activity as _millrace_scheduler_v1_Activity, Activity__Output as _millrace_scheduler_v1_Activity__Output } from '../../../millrace/scheduler/v1/Activity.js';

export interface ListActivityResponse {
  /**
   * One for each workflow, in the order of the request.
   */
  'items'?: (_millrace_scheduler_v1_Activity)[];
}

export interface ListActivityResponse__Output {
  /**
   * One for each workflow, in the order of the request.
   */
  'items': (_millrace_scheduler_v1_Activity__Output)[];
}
