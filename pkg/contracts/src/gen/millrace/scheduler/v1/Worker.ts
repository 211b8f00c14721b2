// Original file: proto/scheduler/v1/control.proto

import type { WorkerCircuit as _millrace_scheduler_v1_WorkerCircuit, WorkerCircuit__Output as _millrace_scheduler_v1_WorkerCircuit__Output } from '../../../millrace/scheduler/v1/WorkerCircuit.js';

export interface Worker {
  /**
   * As it stands in a task's worker_id.
   */
  'id'?: (string);
  'name'?: (string);
  /**
   * active, paused, draining, lost.
   */
  'state'?: (string);
  /**
   * Serves every project: the platform's own.
   */
  'shared'?: (boolean);
  'queues'?: (string)[];
  'executors'?: (string)[];
  'concurrency'?: (number);
  'running'?: (number);
  'sdk'?: (string);
  'version'?: (string);
  /**
   * RFC 3339, UTC, as every time here.
   */
  'startedAt'?: (string);
  'lastSeenAt'?: (string);
  'sessionId'?: (string);
  /**
   * Peers that it does not call because calls failed.
   */
  'circuits'?: (_millrace_scheduler_v1_WorkerCircuit)[];
}

export interface Worker__Output {
  /**
   * As it stands in a task's worker_id.
   */
  'id': (string);
  'name': (string);
  /**
   * active, paused, draining, lost.
   */
  'state': (string);
  /**
   * Serves every project: the platform's own.
   */
  'shared': (boolean);
  'queues': (string)[];
  'executors': (string)[];
  'concurrency': (number);
  'running': (number);
  'sdk': (string);
  'version': (string);
  /**
   * RFC 3339, UTC, as every time here.
   */
  'startedAt': (string);
  'lastSeenAt': (string);
  'sessionId': (string);
  /**
   * Peers that it does not call because calls failed.
   */
  'circuits': (_millrace_scheduler_v1_WorkerCircuit__Output)[];
}
