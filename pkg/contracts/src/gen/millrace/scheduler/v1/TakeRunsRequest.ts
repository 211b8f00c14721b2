// Original file: proto/scheduler/v1/scheduler.proto

import type { StartedRun as _millrace_scheduler_v1_StartedRun, StartedRun__Output as _millrace_scheduler_v1_StartedRun__Output } from '../../../millrace/scheduler/v1/StartedRun.js';

export interface TakeRunsRequest {
  'runs'?: (_millrace_scheduler_v1_StartedRun)[];
}

export interface TakeRunsRequest__Output {
  'runs': (_millrace_scheduler_v1_StartedRun__Output)[];
}
