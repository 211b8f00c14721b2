// Original file: proto/scheduler/v1/dispatch.proto

import type { Session as _millrace_scheduler_v1_Session, Session__Output as _millrace_scheduler_v1_Session__Output } from '../../../millrace/scheduler/v1/Session.js';

export interface DeregisterRequest {
  'session'?: (_millrace_scheduler_v1_Session | null);
}

export interface DeregisterRequest__Output {
  'session': (_millrace_scheduler_v1_Session__Output | null);
}
