// Original file: proto/scheduler/v1/dispatch.proto

import type { Session as _millrace_scheduler_v1_Session, Session__Output as _millrace_scheduler_v1_Session__Output } from '../../../millrace/scheduler/v1/Session.js';

export interface LeaseTasksRequest {
  'session'?: (_millrace_scheduler_v1_Session | null);
  'max'?: (number);
  'waitMs'?: (number);
  /**
   * A wake-up hint came: the scheduler polls the queue for this worker's open request. With max 0 nothing is asked for.
   */
  'hinted'?: (boolean);
}

export interface LeaseTasksRequest__Output {
  'session': (_millrace_scheduler_v1_Session__Output | null);
  'max': (number);
  'waitMs': (number);
  /**
   * A wake-up hint came: the scheduler polls the queue for this worker's open request. With max 0 nothing is asked for.
   */
  'hinted': (boolean);
}
