// Original file: proto/scheduler/v1/dispatch.proto

import type { Verdict as _millrace_scheduler_v1_Verdict, Verdict__Output as _millrace_scheduler_v1_Verdict__Output } from '../../../millrace/scheduler/v1/Verdict.js';
import type { Lease as _millrace_scheduler_v1_Lease, Lease__Output as _millrace_scheduler_v1_Lease__Output } from '../../../millrace/scheduler/v1/Lease.js';

export interface ReportResultsResponse {
  /**
   * In the order of the results.
   */
  'verdicts'?: (_millrace_scheduler_v1_Verdict)[];
  'leases'?: (_millrace_scheduler_v1_Lease)[];
}

export interface ReportResultsResponse__Output {
  /**
   * In the order of the results.
   */
  'verdicts': (_millrace_scheduler_v1_Verdict__Output)[];
  'leases': (_millrace_scheduler_v1_Lease__Output)[];
}
