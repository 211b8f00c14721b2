// Original file: proto/scheduler/v1/dispatch.proto

import type { Session as _millrace_scheduler_v1_Session, Session__Output as _millrace_scheduler_v1_Session__Output } from '../../../millrace/scheduler/v1/Session.js';
import type { TaskResult as _millrace_scheduler_v1_TaskResult, TaskResult__Output as _millrace_scheduler_v1_TaskResult__Output } from '../../../millrace/scheduler/v1/TaskResult.js';

export interface ReportResultsRequest {
  'session'?: (_millrace_scheduler_v1_Session | null);
  'results'?: (_millrace_scheduler_v1_TaskResult)[];
  /**
   * How many new leases the reply may carry.
   */
  'want'?: (number);
}

export interface ReportResultsRequest__Output {
  'session': (_millrace_scheduler_v1_Session__Output | null);
  'results': (_millrace_scheduler_v1_TaskResult__Output)[];
  /**
   * How many new leases the reply may carry.
   */
  'want': (number);
}
