// Original file: proto/scheduler/v1/control.proto

import type { Requester as _millrace_scheduler_v1_Requester, Requester__Output as _millrace_scheduler_v1_Requester__Output } from '../../../millrace/scheduler/v1/Requester.js';

export interface CommandWorkerRequest {
  'id'?: (string);
  'projectId'?: (string);
  'withShared'?: (boolean);
  /**
   * pause, resume, drain.
   */
  'command'?: (string);
  'requester'?: (_millrace_scheduler_v1_Requester | null);
}

export interface CommandWorkerRequest__Output {
  'id': (string);
  'projectId': (string);
  'withShared': (boolean);
  /**
   * pause, resume, drain.
   */
  'command': (string);
  'requester': (_millrace_scheduler_v1_Requester__Output | null);
}
