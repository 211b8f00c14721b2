// Original file: proto/scheduler/v1/scheduler.proto

import type { EndedRun as _millrace_scheduler_v1_EndedRun, EndedRun__Output as _millrace_scheduler_v1_EndedRun__Output } from '../../../millrace/scheduler/v1/EndedRun.js';

export interface Activity {
  'workflow'?: (string);
  /**
   * Runs that have not ended.
   */
  'open'?: (number);
  /**
   * Those that ended last, newest end first.
   */
  'ended'?: (_millrace_scheduler_v1_EndedRun)[];
  /**
   * RFC 3339, UTC: when a schedule starts it next. Empty = none does.
   */
  'nextAt'?: (string);
}

export interface Activity__Output {
  'workflow': (string);
  /**
   * Runs that have not ended.
   */
  'open': (number);
  /**
   * Those that ended last, newest end first.
   */
  'ended': (_millrace_scheduler_v1_EndedRun__Output)[];
  /**
   * RFC 3339, UTC: when a schedule starts it next. Empty = none does.
   */
  'nextAt': (string);
}
