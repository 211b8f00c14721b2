// Original file: proto/scheduler/v1/dispatch.proto

import type { Session as _millrace_scheduler_v1_Session, Session__Output as _millrace_scheduler_v1_Session__Output } from '../../../millrace/scheduler/v1/Session.js';
import type { HeldLease as _millrace_scheduler_v1_HeldLease, HeldLease__Output as _millrace_scheduler_v1_HeldLease__Output } from '../../../millrace/scheduler/v1/HeldLease.js';
import type { OpenCircuit as _millrace_scheduler_v1_OpenCircuit, OpenCircuit__Output as _millrace_scheduler_v1_OpenCircuit__Output } from '../../../millrace/scheduler/v1/OpenCircuit.js';

export interface HeartbeatRequest {
  'session'?: (_millrace_scheduler_v1_Session | null);
  'held'?: (_millrace_scheduler_v1_HeldLease)[];
  /**
   * What was asked of the worker on its own control port: paused, active or draining. Empty = nothing.
   */
  'requestedState'?: (string);
  /**
   * Peers that the worker does not call just now; at most 100 are kept.
   */
  'circuits'?: (_millrace_scheduler_v1_OpenCircuit)[];
}

export interface HeartbeatRequest__Output {
  'session': (_millrace_scheduler_v1_Session__Output | null);
  'held': (_millrace_scheduler_v1_HeldLease__Output)[];
  /**
   * What was asked of the worker on its own control port: paused, active or draining. Empty = nothing.
   */
  'requestedState': (string);
  /**
   * Peers that the worker does not call just now; at most 100 are kept.
   */
  'circuits': (_millrace_scheduler_v1_OpenCircuit__Output)[];
}
