// Original file: proto/scheduler/v1/scheduler.proto

import type { LineageRun as _millrace_scheduler_v1_LineageRun, LineageRun__Output as _millrace_scheduler_v1_LineageRun__Output } from '../../../millrace/scheduler/v1/LineageRun.js';

export interface GetLineageResponse {
  'runs'?: (_millrace_scheduler_v1_LineageRun)[];
}

export interface GetLineageResponse__Output {
  'runs': (_millrace_scheduler_v1_LineageRun__Output)[];
}
