// Original file: proto/scheduler/v1/dispatch.proto

import type { Lease as _millrace_scheduler_v1_Lease, Lease__Output as _millrace_scheduler_v1_Lease__Output } from '../../../millrace/scheduler/v1/Lease.js';

export interface LeaseTasksResponse {
  'leases'?: (_millrace_scheduler_v1_Lease)[];
}

export interface LeaseTasksResponse__Output {
  'leases': (_millrace_scheduler_v1_Lease__Output)[];
}
