// Original file: proto/scheduler/v1/run.proto

import type { Failure as _millrace_common_v1_Failure, Failure__Output as _millrace_common_v1_Failure__Output } from '../../../millrace/common/v1/Failure.js';
import type { WaitingFor as _millrace_scheduler_v1_WaitingFor, WaitingFor__Output as _millrace_scheduler_v1_WaitingFor__Output } from '../../../millrace/scheduler/v1/WaitingFor.js';
import type { Progress as _millrace_scheduler_v1_Progress, Progress__Output as _millrace_scheduler_v1_Progress__Output } from '../../../millrace/scheduler/v1/Progress.js';
import type { Long } from '@grpc/proto-loader';

export interface Task {
  /**
   * The job id of the outside contract.
   */
  'id'?: (string);
  'runId'?: (string);
  'key'?: (string);
  /**
   * Place in a map; absent for a task that is not a map's child.
   */
  'index'?: (number);
  'name'?: (string);
  'uses'?: (string);
  /**
   * pending, delayed, waiting, queued, running, succeeded, failed, skipped, cancelled.
   */
  'status'?: (string);
  'attempt'?: (number);
  'maxAttempts'?: (number);
  'queuedAt'?: (string);
  'startedAt'?: (string);
  'finishedAt'?: (string);
  'workerId'?: (string);
  /**
   * Empty = none.
   */
  'outputJson'?: (string);
  'error'?: (_millrace_common_v1_Failure | null);
  'rev'?: (number | string | Long);
  'queue'?: (string);
  /**
   * The run that a task with `uses: workflow` stands for; empty = none (yet).
   */
  'childRunId'?: (string);
  /**
   * A rerun took the output over and executed nothing.
   */
  'reused'?: (boolean);
  /**
   * Input or output did not fit into the answer: ask ListTasks.
   */
  'outputOmitted'?: (boolean);
  /**
   * The resolved `with`, secrets by name alone; empty until the first attempt is ready.
   */
  'inputJson'?: (string);
  /**
   * Of a task that waits.
   */
  'waitingFor'?: (_millrace_scheduler_v1_WaitingFor | null);
  /**
   * Of a task that runs, if its worker said.
   */
  'progress'?: (_millrace_scheduler_v1_Progress | null);
  '_index'?: "index";
}

export interface Task__Output {
  /**
   * The job id of the outside contract.
   */
  'id': (string);
  'runId': (string);
  'key': (string);
  /**
   * Place in a map; absent for a task that is not a map's child.
   */
  'index'?: (number);
  'name': (string);
  'uses': (string);
  /**
   * pending, delayed, waiting, queued, running, succeeded, failed, skipped, cancelled.
   */
  'status': (string);
  'attempt': (number);
  'maxAttempts': (number);
  'queuedAt': (string);
  'startedAt': (string);
  'finishedAt': (string);
  'workerId': (string);
  /**
   * Empty = none.
   */
  'outputJson': (string);
  'error': (_millrace_common_v1_Failure__Output | null);
  'rev': (number);
  'queue': (string);
  /**
   * The run that a task with `uses: workflow` stands for; empty = none (yet).
   */
  'childRunId': (string);
  /**
   * A rerun took the output over and executed nothing.
   */
  'reused': (boolean);
  /**
   * Input or output did not fit into the answer: ask ListTasks.
   */
  'outputOmitted': (boolean);
  /**
   * The resolved `with`, secrets by name alone; empty until the first attempt is ready.
   */
  'inputJson': (string);
  /**
   * Of a task that waits.
   */
  'waitingFor': (_millrace_scheduler_v1_WaitingFor__Output | null);
  /**
   * Of a task that runs, if its worker said.
   */
  'progress': (_millrace_scheduler_v1_Progress__Output | null);
  '_index'?: "index";
}
