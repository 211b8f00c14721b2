// Original file: proto/scheduler/v1/dispatch.proto

import type { Session as _millrace_scheduler_v1_Session, Session__Output as _millrace_scheduler_v1_Session__Output } from '../../../millrace/scheduler/v1/Session.js';
import type { HeldLease as _millrace_scheduler_v1_HeldLease, HeldLease__Output as _millrace_scheduler_v1_HeldLease__Output } from '../../../millrace/scheduler/v1/HeldLease.js';

export interface HeartbeatRequest {
  'session'?: (_millrace_scheduler_v1_Session | null);
  'held'?: (_millrace_scheduler_v1_HeldLease)[];
  /**
   * What was asked of the worker on its own control port: paused, active or draining. Empty = nothing.
   */
  'requestedState'?: (string);
}

export interface HeartbeatRequest__Output {
  'session': (_millrace_scheduler_v1_Session__Output | null);
  'held': (_millrace_scheduler_v1_HeldLease__Output)[];
  /**
   * What was asked of the worker on its own control port: paused, active or draining. Empty = nothing.
   */
  'requestedState': (string);
}
