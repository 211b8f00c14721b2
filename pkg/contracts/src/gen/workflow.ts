import type * as grpc from '@grpc/grpc-js';
import type { MessageTypeDefinition } from '@grpc/proto-loader';

import type { ParentTask as _millrace_common_v1_ParentTask, ParentTask__Output as _millrace_common_v1_ParentTask__Output } from './millrace/common/v1/ParentTask.js';
import type { RerunSource as _millrace_common_v1_RerunSource, RerunSource__Output as _millrace_common_v1_RerunSource__Output } from './millrace/common/v1/RerunSource.js';
import type { CreateRunOutcome as _millrace_workflow_v1_CreateRunOutcome, CreateRunOutcome__Output as _millrace_workflow_v1_CreateRunOutcome__Output } from './millrace/workflow/v1/CreateRunOutcome.js';
import type { CreateRunRequest as _millrace_workflow_v1_CreateRunRequest, CreateRunRequest__Output as _millrace_workflow_v1_CreateRunRequest__Output } from './millrace/workflow/v1/CreateRunRequest.js';
import type { CreateRunResponse as _millrace_workflow_v1_CreateRunResponse, CreateRunResponse__Output as _millrace_workflow_v1_CreateRunResponse__Output } from './millrace/workflow/v1/CreateRunResponse.js';
import type { CreateRunsRequest as _millrace_workflow_v1_CreateRunsRequest, CreateRunsRequest__Output as _millrace_workflow_v1_CreateRunsRequest__Output } from './millrace/workflow/v1/CreateRunsRequest.js';
import type { CreateRunsResponse as _millrace_workflow_v1_CreateRunsResponse, CreateRunsResponse__Output as _millrace_workflow_v1_CreateRunsResponse__Output } from './millrace/workflow/v1/CreateRunsResponse.js';
import type { GetVersionRequest as _millrace_workflow_v1_GetVersionRequest, GetVersionRequest__Output as _millrace_workflow_v1_GetVersionRequest__Output } from './millrace/workflow/v1/GetVersionRequest.js';
import type { GetVersionResponse as _millrace_workflow_v1_GetVersionResponse, GetVersionResponse__Output as _millrace_workflow_v1_GetVersionResponse__Output } from './millrace/workflow/v1/GetVersionResponse.js';
import type { RunRefusal as _millrace_workflow_v1_RunRefusal, RunRefusal__Output as _millrace_workflow_v1_RunRefusal__Output } from './millrace/workflow/v1/RunRefusal.js';
import type { WorkflowServiceClient as _millrace_workflow_v1_WorkflowServiceClient, WorkflowServiceDefinition as _millrace_workflow_v1_WorkflowServiceDefinition } from './millrace/workflow/v1/WorkflowService.js';

type SubtypeConstructor<Constructor extends new (...args: any) => any, Subtype> = {
  new(...args: ConstructorParameters<Constructor>): Subtype;
};

export interface ProtoGrpcType {
  millrace: {
    common: {
      v1: {
        ParentTask: MessageTypeDefinition<_millrace_common_v1_ParentTask, _millrace_common_v1_ParentTask__Output>
        RerunSource: MessageTypeDefinition<_millrace_common_v1_RerunSource, _millrace_common_v1_RerunSource__Output>
      }
    }
    workflow: {
      v1: {
        CreateRunOutcome: MessageTypeDefinition<_millrace_workflow_v1_CreateRunOutcome, _millrace_workflow_v1_CreateRunOutcome__Output>
        CreateRunRequest: MessageTypeDefinition<_millrace_workflow_v1_CreateRunRequest, _millrace_workflow_v1_CreateRunRequest__Output>
        CreateRunResponse: MessageTypeDefinition<_millrace_workflow_v1_CreateRunResponse, _millrace_workflow_v1_CreateRunResponse__Output>
        CreateRunsRequest: MessageTypeDefinition<_millrace_workflow_v1_CreateRunsRequest, _millrace_workflow_v1_CreateRunsRequest__Output>
        CreateRunsResponse: MessageTypeDefinition<_millrace_workflow_v1_CreateRunsResponse, _millrace_workflow_v1_CreateRunsResponse__Output>
        GetVersionRequest: MessageTypeDefinition<_millrace_workflow_v1_GetVersionRequest, _millrace_workflow_v1_GetVersionRequest__Output>
        GetVersionResponse: MessageTypeDefinition<_millrace_workflow_v1_GetVersionResponse, _millrace_workflow_v1_GetVersionResponse__Output>
        RunRefusal: MessageTypeDefinition<_millrace_workflow_v1_RunRefusal, _millrace_workflow_v1_RunRefusal__Output>
        /**
         * Internal listener only; callers present a service identity.
         */
        WorkflowService: SubtypeConstructor<typeof grpc.Client, _millrace_workflow_v1_WorkflowServiceClient> & { service: _millrace_workflow_v1_WorkflowServiceDefinition }
      }
    }
  }
}

