// Original file: proto/workflow/v1/workflow.proto

import type { CreateRunResponse as _millrace_workflow_v1_CreateRunResponse, CreateRunResponse__Output as _millrace_workflow_v1_CreateRunResponse__Output } from '../../../millrace/workflow/v1/CreateRunResponse.js';
import type { RunRefusal as _millrace_workflow_v1_RunRefusal, RunRefusal__Output as _millrace_workflow_v1_RunRefusal__Output } from '../../../millrace/workflow/v1/RunRefusal.js';

export interface CreateRunOutcome {
  'run'?: (_millrace_workflow_v1_CreateRunResponse | null);
  'refusal'?: (_millrace_workflow_v1_RunRefusal | null);
  'outcome'?: "run"|"refusal";
}

export interface CreateRunOutcome__Output {
  'run'?: (_millrace_workflow_v1_CreateRunResponse__Output | null);
  'refusal'?: (_millrace_workflow_v1_RunRefusal__Output | null);
  'outcome'?: "run"|"refusal";
}
