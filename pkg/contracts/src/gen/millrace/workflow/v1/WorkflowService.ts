// Original file: proto/workflow/v1/workflow.proto

import type * as grpc from '@grpc/grpc-js'
import type { MethodDefinition } from '@grpc/proto-loader'
import type { CreateRunRequest as _millrace_workflow_v1_CreateRunRequest, CreateRunRequest__Output as _millrace_workflow_v1_CreateRunRequest__Output } from '../../../millrace/workflow/v1/CreateRunRequest.js';
import type { CreateRunResponse as _millrace_workflow_v1_CreateRunResponse, CreateRunResponse__Output as _millrace_workflow_v1_CreateRunResponse__Output } from '../../../millrace/workflow/v1/CreateRunResponse.js';
import type { CreateRunsRequest as _millrace_workflow_v1_CreateRunsRequest, CreateRunsRequest__Output as _millrace_workflow_v1_CreateRunsRequest__Output } from '../../../millrace/workflow/v1/CreateRunsRequest.js';
import type { CreateRunsResponse as _millrace_workflow_v1_CreateRunsResponse, CreateRunsResponse__Output as _millrace_workflow_v1_CreateRunsResponse__Output } from '../../../millrace/workflow/v1/CreateRunsResponse.js';
import type { GetVersionRequest as _millrace_workflow_v1_GetVersionRequest, GetVersionRequest__Output as _millrace_workflow_v1_GetVersionRequest__Output } from '../../../millrace/workflow/v1/GetVersionRequest.js';
import type { GetVersionResponse as _millrace_workflow_v1_GetVersionResponse, GetVersionResponse__Output as _millrace_workflow_v1_GetVersionResponse__Output } from '../../../millrace/workflow/v1/GetVersionResponse.js';

/**
 * Internal listener only; callers present a service identity.
 */
export interface WorkflowServiceClient extends grpc.Client {
  /**
   * The only place that creates runs: HTTP, cron ticks, child runs, reruns and hooks all come through here.
   * The same dedupe_key in the same project always answers with the same run.
   */
  CreateRun(argument: _millrace_workflow_v1_CreateRunRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_millrace_workflow_v1_CreateRunResponse__Output>): grpc.ClientUnaryCall;
  CreateRun(argument: _millrace_workflow_v1_CreateRunRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_millrace_workflow_v1_CreateRunResponse__Output>): grpc.ClientUnaryCall;
  CreateRun(argument: _millrace_workflow_v1_CreateRunRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_millrace_workflow_v1_CreateRunResponse__Output>): grpc.ClientUnaryCall;
  CreateRun(argument: _millrace_workflow_v1_CreateRunRequest, callback: grpc.requestCallback<_millrace_workflow_v1_CreateRunResponse__Output>): grpc.ClientUnaryCall;
  /**
   * The only place that creates runs: HTTP, cron ticks, child runs, reruns and hooks all come through here.
   * The same dedupe_key in the same project always answers with the same run.
   */
  createRun(argument: _millrace_workflow_v1_CreateRunRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_millrace_workflow_v1_CreateRunResponse__Output>): grpc.ClientUnaryCall;
  createRun(argument: _millrace_workflow_v1_CreateRunRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_millrace_workflow_v1_CreateRunResponse__Output>): grpc.ClientUnaryCall;
  createRun(argument: _millrace_workflow_v1_CreateRunRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_millrace_workflow_v1_CreateRunResponse__Output>): grpc.ClientUnaryCall;
  createRun(argument: _millrace_workflow_v1_CreateRunRequest, callback: grpc.requestCallback<_millrace_workflow_v1_CreateRunResponse__Output>): grpc.ClientUnaryCall;
  
  /**
   * Many at once, each on its own: one that is refused has its refusal in its place. Each run begins a trace of its own.
   */
  CreateRuns(argument: _millrace_workflow_v1_CreateRunsRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_millrace_workflow_v1_CreateRunsResponse__Output>): grpc.ClientUnaryCall;
  CreateRuns(argument: _millrace_workflow_v1_CreateRunsRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_millrace_workflow_v1_CreateRunsResponse__Output>): grpc.ClientUnaryCall;
  CreateRuns(argument: _millrace_workflow_v1_CreateRunsRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_millrace_workflow_v1_CreateRunsResponse__Output>): grpc.ClientUnaryCall;
  CreateRuns(argument: _millrace_workflow_v1_CreateRunsRequest, callback: grpc.requestCallback<_millrace_workflow_v1_CreateRunsResponse__Output>): grpc.ClientUnaryCall;
  /**
   * Many at once, each on its own: one that is refused has its refusal in its place. Each run begins a trace of its own.
   */
  createRuns(argument: _millrace_workflow_v1_CreateRunsRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_millrace_workflow_v1_CreateRunsResponse__Output>): grpc.ClientUnaryCall;
  createRuns(argument: _millrace_workflow_v1_CreateRunsRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_millrace_workflow_v1_CreateRunsResponse__Output>): grpc.ClientUnaryCall;
  createRuns(argument: _millrace_workflow_v1_CreateRunsRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_millrace_workflow_v1_CreateRunsResponse__Output>): grpc.ClientUnaryCall;
  createRuns(argument: _millrace_workflow_v1_CreateRunsRequest, callback: grpc.requestCallback<_millrace_workflow_v1_CreateRunsResponse__Output>): grpc.ClientUnaryCall;
  
  /**
   * One immutable version of a definition, for the scheduler to compile.
   */
  GetVersion(argument: _millrace_workflow_v1_GetVersionRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_millrace_workflow_v1_GetVersionResponse__Output>): grpc.ClientUnaryCall;
  GetVersion(argument: _millrace_workflow_v1_GetVersionRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_millrace_workflow_v1_GetVersionResponse__Output>): grpc.ClientUnaryCall;
  GetVersion(argument: _millrace_workflow_v1_GetVersionRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_millrace_workflow_v1_GetVersionResponse__Output>): grpc.ClientUnaryCall;
  GetVersion(argument: _millrace_workflow_v1_GetVersionRequest, callback: grpc.requestCallback<_millrace_workflow_v1_GetVersionResponse__Output>): grpc.ClientUnaryCall;
  /**
   * One immutable version of a definition, for the scheduler to compile.
   */
  getVersion(argument: _millrace_workflow_v1_GetVersionRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_millrace_workflow_v1_GetVersionResponse__Output>): grpc.ClientUnaryCall;
  getVersion(argument: _millrace_workflow_v1_GetVersionRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_millrace_workflow_v1_GetVersionResponse__Output>): grpc.ClientUnaryCall;
  getVersion(argument: _millrace_workflow_v1_GetVersionRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_millrace_workflow_v1_GetVersionResponse__Output>): grpc.ClientUnaryCall;
  getVersion(argument: _millrace_workflow_v1_GetVersionRequest, callback: grpc.requestCallback<_millrace_workflow_v1_GetVersionResponse__Output>): grpc.ClientUnaryCall;
  
}

/**
 * Internal listener only; callers present a service identity.
 */
export interface WorkflowServiceHandlers extends grpc.UntypedServiceImplementation {
  /**
   * The only place that creates runs: HTTP, cron ticks, child runs, reruns and hooks all come through here.
   * The same dedupe_key in the same project always answers with the same run.
   */
  CreateRun: grpc.handleUnaryCall<_millrace_workflow_v1_CreateRunRequest__Output, _millrace_workflow_v1_CreateRunResponse>;
  
  /**
   * Many at once, each on its own: one that is refused has its refusal in its place. Each run begins a trace of its own.
   */
  CreateRuns: grpc.handleUnaryCall<_millrace_workflow_v1_CreateRunsRequest__Output, _millrace_workflow_v1_CreateRunsResponse>;
  
  /**
   * One immutable version of a definition, for the scheduler to compile.
   */
  GetVersion: grpc.handleUnaryCall<_millrace_workflow_v1_GetVersionRequest__Output, _millrace_workflow_v1_GetVersionResponse>;
  
}

export interface WorkflowServiceDefinition extends grpc.ServiceDefinition {
  CreateRun: MethodDefinition<_millrace_workflow_v1_CreateRunRequest, _millrace_workflow_v1_CreateRunResponse, _millrace_workflow_v1_CreateRunRequest__Output, _millrace_workflow_v1_CreateRunResponse__Output>
  CreateRuns: MethodDefinition<_millrace_workflow_v1_CreateRunsRequest, _millrace_workflow_v1_CreateRunsResponse, _millrace_workflow_v1_CreateRunsRequest__Output, _millrace_workflow_v1_CreateRunsResponse__Output>
  GetVersion: MethodDefinition<_millrace_workflow_v1_GetVersionRequest, _millrace_workflow_v1_GetVersionResponse, _millrace_workflow_v1_GetVersionRequest__Output, _millrace_workflow_v1_GetVersionResponse__Output>
}
