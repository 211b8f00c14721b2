// Original file: proto/scheduler/v1/dispatch.proto

import type { ReportResultsRequest as _millrace_scheduler_v1_ReportResultsRequest, ReportResultsRequest__Output as _millrace_scheduler_v1_ReportResultsRequest__Output } from '../../../millrace/scheduler/v1/ReportResultsRequest.js';
import type { LeaseTasksRequest as _millrace_scheduler_v1_LeaseTasksRequest, LeaseTasksRequest__Output as _millrace_scheduler_v1_LeaseTasksRequest__Output } from '../../../millrace/scheduler/v1/LeaseTasksRequest.js';
import type { Long } from '@grpc/proto-loader';

export interface WorkRequest {
  /**
   * The worker's own number of the message; its answer carries the same. Answers come as they are ready.
   */
  'id'?: (number | string | Long);
  'report'?: (_millrace_scheduler_v1_ReportResultsRequest | null);
  'lease'?: (_millrace_scheduler_v1_LeaseTasksRequest | null);
  /**
   * Gives up the message of this id, as a cancelled call; it may still be answered.
   */
  'cancel'?: (boolean);
  /**
   * How long the worker waits for the answer.
   */
  'timeoutMs'?: (number);
  'call'?: "report"|"lease"|"cancel";
}

export interface WorkRequest__Output {
  /**
   * The worker's own number of the message; its answer carries the same. Answers come as they are ready.
   */
  'id': (number);
  'report'?: (_millrace_scheduler_v1_ReportResultsRequest__Output | null);
  'lease'?: (_millrace_scheduler_v1_LeaseTasksRequest__Output | null);
  /**
   * Gives up the message of this id, as a cancelled call; it may still be answered.
   */
  'cancel'?: (boolean);
  /**
   * How long the worker waits for the answer.
   */
  'timeoutMs': (number);
  'call'?: "report"|"lease"|"cancel";
}
