// Original file: proto/workflow/v1/workflow.proto

import type { CreateRunRequest as _millrace_workflow_v1_CreateRunRequest, CreateRunRequest__Output as _millrace_workflow_v1_CreateRunRequest__Output } from '../../../millrace/workflow/v1/CreateRunRequest.js';

export interface CreateRunsRequest {
  /**
   * At most 1,000.
   */
  'runs'?: (_millrace_workflow_v1_CreateRunRequest)[];
}

export interface CreateRunsRequest__Output {
  /**
   * At most 1,000.
   */
  'runs': (_millrace_workflow_v1_CreateRunRequest__Output)[];
}
