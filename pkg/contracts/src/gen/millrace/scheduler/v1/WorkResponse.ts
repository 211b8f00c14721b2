// Original file: proto/scheduler/v1/dispatch.proto

import type { ReportResultsResponse as _millrace_scheduler_v1_ReportResultsResponse, ReportResultsResponse__Output as _millrace_scheduler_v1_ReportResultsResponse__Output } from '../../../millrace/scheduler/v1/ReportResultsResponse.js';
import type { LeaseTasksResponse as _millrace_scheduler_v1_LeaseTasksResponse, LeaseTasksResponse__Output as _millrace_scheduler_v1_LeaseTasksResponse__Output } from '../../../millrace/scheduler/v1/LeaseTasksResponse.js';
import type { WorkFailure as _millrace_scheduler_v1_WorkFailure, WorkFailure__Output as _millrace_scheduler_v1_WorkFailure__Output } from '../../../millrace/scheduler/v1/WorkFailure.js';
import type { Long } from '@grpc/proto-loader';

export interface WorkResponse {
  'id'?: (number | string | Long);
  'report'?: (_millrace_scheduler_v1_ReportResultsResponse | null);
  'lease'?: (_millrace_scheduler_v1_LeaseTasksResponse | null);
  'failure'?: (_millrace_scheduler_v1_WorkFailure | null);
  'answer'?: "report"|"lease"|"failure";
}

export interface WorkResponse__Output {
  'id': (number);
  'report'?: (_millrace_scheduler_v1_ReportResultsResponse__Output | null);
  'lease'?: (_millrace_scheduler_v1_LeaseTasksResponse__Output | null);
  'failure'?: (_millrace_scheduler_v1_WorkFailure__Output | null);
  'answer'?: "report"|"lease"|"failure";
}
