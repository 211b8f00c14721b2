// Original file: proto/scheduler/v1/scheduler.proto

import type { Run as _millrace_scheduler_v1_Run, Run__Output as _millrace_scheduler_v1_Run__Output } from '../../../millrace/scheduler/v1/Run.js';

export interface ListRunsResponse {
  'runs'?: (_millrace_scheduler_v1_Run)[];
  'takenIds'?: (string)[];
}

export interface ListRunsResponse__Output {
  'runs': (_millrace_scheduler_v1_Run__Output)[];
  'takenIds': (string)[];
}
