// Original file: proto/workflow/v1/workflow.proto

import type { CreateRunOutcome as _millrace_workflow_v1_CreateRunOutcome, CreateRunOutcome__Output as _millrace_workflow_v1_CreateRunOutcome__Output } from '../../../millrace/workflow/v1/CreateRunOutcome.js';

export interface CreateRunsResponse {
  /**
   * In the order of the requests.
   */
  'outcomes'?: (_millrace_workflow_v1_CreateRunOutcome)[];
}

export interface CreateRunsResponse__Output {
  /**
   * In the order of the requests.
   */
  'outcomes': (_millrace_workflow_v1_CreateRunOutcome__Output)[];
}
