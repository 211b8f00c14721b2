// Original file: proto/scheduler/v1/run.proto


export interface Blocker {
  /**
   * dependency, timer, concurrency, rate_limit, no_worker, queue_paused, worker_paused, run_paused,
   * workflow_paused, approval, signal, circuit_open, position.
   */
  'kind'?: (string);
  'detail'?: (string);
}

export interface Blocker__Output {
  /**
   * dependency, timer, concurrency, rate_limit, no_worker, queue_paused, worker_paused, run_paused,
   * workflow_paused, approval, signal, circuit_open, position.
   */
  'kind': (string);
  'detail': (string);
}
