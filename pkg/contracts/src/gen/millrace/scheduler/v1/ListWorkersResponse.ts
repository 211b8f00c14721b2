// Original file: proto/scheduler/v1/control.proto

import type { Worker as _millrace_scheduler_v1_Worker, Worker__Output as _millrace_scheduler_v1_Worker__Output } from '../../../millrace/scheduler/v1/Worker.js';

export interface ListWorkersResponse {
  'workers'?: (_millrace_scheduler_v1_Worker)[];
}

export interface ListWorkersResponse__Output {
  'workers': (_millrace_scheduler_v1_Worker__Output)[];
}
