// Original file: proto/scheduler/v1/scheduler.proto

import type { WorkflowStarted as _millrace_events_v1_WorkflowStarted, WorkflowStarted__Output as _millrace_events_v1_WorkflowStarted__Output } from '../../../millrace/events/v1/WorkflowStarted.js';

export interface StartedRun {
  'started'?: (_millrace_events_v1_WorkflowStarted | null);
  /**
   * W3C. Empty = none.
   */
  'traceparent'?: (string);
}

export interface StartedRun__Output {
  'started': (_millrace_events_v1_WorkflowStarted__Output | null);
  /**
   * W3C. Empty = none.
   */
  'traceparent': (string);
}
