// Original file: proto/scheduler/v1/control.proto

import type { Worker as _millrace_scheduler_v1_Worker, Worker__Output as _millrace_scheduler_v1_Worker__Output } from '../../../millrace/scheduler/v1/Worker.js';
import type { SharedWorkers as _millrace_scheduler_v1_SharedWorkers, SharedWorkers__Output as _millrace_scheduler_v1_SharedWorkers__Output } from '../../../millrace/scheduler/v1/SharedWorkers.js';
import type { WorkerTotals as _millrace_scheduler_v1_WorkerTotals, WorkerTotals__Output as _millrace_scheduler_v1_WorkerTotals__Output } from '../../../millrace/scheduler/v1/WorkerTotals.js';

export interface ListWorkersResponse {
  'workers'?: (_millrace_scheduler_v1_Worker)[];
  /**
   * Of the platform's own; for everybody, because their tasks run there.
   */
  'shared'?: (_millrace_scheduler_v1_SharedWorkers | null);
  /**
   * Of all workers that the caller may list, whatever the page and the state asked for.
   */
  'totals'?: (_millrace_scheduler_v1_WorkerTotals | null);
}

export interface ListWorkersResponse__Output {
  'workers': (_millrace_scheduler_v1_Worker__Output)[];
  /**
   * Of the platform's own; for everybody, because their tasks run there.
   */
  'shared': (_millrace_scheduler_v1_SharedWorkers__Output | null);
  /**
   * Of all workers that the caller may list, whatever the page and the state asked for.
   */
  'totals': (_millrace_scheduler_v1_WorkerTotals__Output | null);
}
