// Original file: proto/scheduler/v1/scheduler.proto

import type { Approval as _millrace_scheduler_v1_Approval, Approval__Output as _millrace_scheduler_v1_Approval__Output } from '../../../millrace/scheduler/v1/Approval.js';

export interface ListApprovalsResponse {
  'approvals'?: (_millrace_scheduler_v1_Approval)[];
  /**
   * Where to go on; absent when there is nothing more.
   */
  'nextCreatedAt'?: (string);
  'nextId'?: (string);
}

export interface ListApprovalsResponse__Output {
  'approvals': (_millrace_scheduler_v1_Approval__Output)[];
  /**
   * Where to go on; absent when there is nothing more.
   */
  'nextCreatedAt': (string);
  'nextId': (string);
}
