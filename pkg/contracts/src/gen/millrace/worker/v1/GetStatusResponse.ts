// Original file: proto/worker/v1/worker.proto

import type { RunningTask as _millrace_worker_v1_RunningTask, RunningTask__Output as _millrace_worker_v1_RunningTask__Output } from '../../../millrace/worker/v1/RunningTask.js';

export interface GetStatusResponse {
  'workerId'?: (string);
  /**
   * starting, running, paused, draining, stopped.
   */
  'state'?: (string);
  'concurrency'?: (number);
  'running'?: (_millrace_worker_v1_RunningTask)[];
  'executors'?: (string)[];
}

export interface GetStatusResponse__Output {
  'workerId': (string);
  /**
   * starting, running, paused, draining, stopped.
   */
  'state': (string);
  'concurrency': (number);
  'running': (_millrace_worker_v1_RunningTask__Output)[];
  'executors': (string)[];
}
