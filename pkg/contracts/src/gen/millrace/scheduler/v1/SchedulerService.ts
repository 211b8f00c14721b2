// Original file: proto/scheduler/v1/scheduler.proto

import type * as grpc from '@grpc/grpc-js'
import type { MethodDefinition } from '@grpc/proto-loader'
import type { ExplainRunRequest as _millrace_scheduler_v1_ExplainRunRequest, ExplainRunRequest__Output as _millrace_scheduler_v1_ExplainRunRequest__Output } from '../../../millrace/scheduler/v1/ExplainRunRequest.js';
import type { ExplainRunResponse as _millrace_scheduler_v1_ExplainRunResponse, ExplainRunResponse__Output as _millrace_scheduler_v1_ExplainRunResponse__Output } from '../../../millrace/scheduler/v1/ExplainRunResponse.js';
import type { GetRunRequest as _millrace_scheduler_v1_GetRunRequest, GetRunRequest__Output as _millrace_scheduler_v1_GetRunRequest__Output } from '../../../millrace/scheduler/v1/GetRunRequest.js';
import type { GetRunResponse as _millrace_scheduler_v1_GetRunResponse, GetRunResponse__Output as _millrace_scheduler_v1_GetRunResponse__Output } from '../../../millrace/scheduler/v1/GetRunResponse.js';
import type { GetTaskRequest as _millrace_scheduler_v1_GetTaskRequest, GetTaskRequest__Output as _millrace_scheduler_v1_GetTaskRequest__Output } from '../../../millrace/scheduler/v1/GetTaskRequest.js';
import type { GetTaskResponse as _millrace_scheduler_v1_GetTaskResponse, GetTaskResponse__Output as _millrace_scheduler_v1_GetTaskResponse__Output } from '../../../millrace/scheduler/v1/GetTaskResponse.js';
import type { ListTasksRequest as _millrace_scheduler_v1_ListTasksRequest, ListTasksRequest__Output as _millrace_scheduler_v1_ListTasksRequest__Output } from '../../../millrace/scheduler/v1/ListTasksRequest.js';
import type { ListTasksResponse as _millrace_scheduler_v1_ListTasksResponse, ListTasksResponse__Output as _millrace_scheduler_v1_ListTasksResponse__Output } from '../../../millrace/scheduler/v1/ListTasksResponse.js';
import type { WatchRunRequest as _millrace_scheduler_v1_WatchRunRequest, WatchRunRequest__Output as _millrace_scheduler_v1_WatchRunRequest__Output } from '../../../millrace/scheduler/v1/WatchRunRequest.js';
import type { WatchRunResponse as _millrace_scheduler_v1_WatchRunResponse, WatchRunResponse__Output as _millrace_scheduler_v1_WatchRunResponse__Output } from '../../../millrace/scheduler/v1/WatchRunResponse.js';

/**
 * Public listener; callers present the same tokens as over HTTP.
 */
export interface SchedulerServiceClient extends grpc.Client {
  ExplainRun(argument: _millrace_scheduler_v1_ExplainRunRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_millrace_scheduler_v1_ExplainRunResponse__Output>): grpc.ClientUnaryCall;
  ExplainRun(argument: _millrace_scheduler_v1_ExplainRunRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_millrace_scheduler_v1_ExplainRunResponse__Output>): grpc.ClientUnaryCall;
  ExplainRun(argument: _millrace_scheduler_v1_ExplainRunRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_millrace_scheduler_v1_ExplainRunResponse__Output>): grpc.ClientUnaryCall;
  ExplainRun(argument: _millrace_scheduler_v1_ExplainRunRequest, callback: grpc.requestCallback<_millrace_scheduler_v1_ExplainRunResponse__Output>): grpc.ClientUnaryCall;
  explainRun(argument: _millrace_scheduler_v1_ExplainRunRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_millrace_scheduler_v1_ExplainRunResponse__Output>): grpc.ClientUnaryCall;
  explainRun(argument: _millrace_scheduler_v1_ExplainRunRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_millrace_scheduler_v1_ExplainRunResponse__Output>): grpc.ClientUnaryCall;
  explainRun(argument: _millrace_scheduler_v1_ExplainRunRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_millrace_scheduler_v1_ExplainRunResponse__Output>): grpc.ClientUnaryCall;
  explainRun(argument: _millrace_scheduler_v1_ExplainRunRequest, callback: grpc.requestCallback<_millrace_scheduler_v1_ExplainRunResponse__Output>): grpc.ClientUnaryCall;
  
  GetRun(argument: _millrace_scheduler_v1_GetRunRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_millrace_scheduler_v1_GetRunResponse__Output>): grpc.ClientUnaryCall;
  GetRun(argument: _millrace_scheduler_v1_GetRunRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_millrace_scheduler_v1_GetRunResponse__Output>): grpc.ClientUnaryCall;
  GetRun(argument: _millrace_scheduler_v1_GetRunRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_millrace_scheduler_v1_GetRunResponse__Output>): grpc.ClientUnaryCall;
  GetRun(argument: _millrace_scheduler_v1_GetRunRequest, callback: grpc.requestCallback<_millrace_scheduler_v1_GetRunResponse__Output>): grpc.ClientUnaryCall;
  getRun(argument: _millrace_scheduler_v1_GetRunRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_millrace_scheduler_v1_GetRunResponse__Output>): grpc.ClientUnaryCall;
  getRun(argument: _millrace_scheduler_v1_GetRunRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_millrace_scheduler_v1_GetRunResponse__Output>): grpc.ClientUnaryCall;
  getRun(argument: _millrace_scheduler_v1_GetRunRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_millrace_scheduler_v1_GetRunResponse__Output>): grpc.ClientUnaryCall;
  getRun(argument: _millrace_scheduler_v1_GetRunRequest, callback: grpc.requestCallback<_millrace_scheduler_v1_GetRunResponse__Output>): grpc.ClientUnaryCall;
  
  GetTask(argument: _millrace_scheduler_v1_GetTaskRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_millrace_scheduler_v1_GetTaskResponse__Output>): grpc.ClientUnaryCall;
  GetTask(argument: _millrace_scheduler_v1_GetTaskRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_millrace_scheduler_v1_GetTaskResponse__Output>): grpc.ClientUnaryCall;
  GetTask(argument: _millrace_scheduler_v1_GetTaskRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_millrace_scheduler_v1_GetTaskResponse__Output>): grpc.ClientUnaryCall;
  GetTask(argument: _millrace_scheduler_v1_GetTaskRequest, callback: grpc.requestCallback<_millrace_scheduler_v1_GetTaskResponse__Output>): grpc.ClientUnaryCall;
  getTask(argument: _millrace_scheduler_v1_GetTaskRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_millrace_scheduler_v1_GetTaskResponse__Output>): grpc.ClientUnaryCall;
  getTask(argument: _millrace_scheduler_v1_GetTaskRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_millrace_scheduler_v1_GetTaskResponse__Output>): grpc.ClientUnaryCall;
  getTask(argument: _millrace_scheduler_v1_GetTaskRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_millrace_scheduler_v1_GetTaskResponse__Output>): grpc.ClientUnaryCall;
  getTask(argument: _millrace_scheduler_v1_GetTaskRequest, callback: grpc.requestCallback<_millrace_scheduler_v1_GetTaskResponse__Output>): grpc.ClientUnaryCall;
  
  ListTasks(argument: _millrace_scheduler_v1_ListTasksRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_millrace_scheduler_v1_ListTasksResponse__Output>): grpc.ClientUnaryCall;
  ListTasks(argument: _millrace_scheduler_v1_ListTasksRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_millrace_scheduler_v1_ListTasksResponse__Output>): grpc.ClientUnaryCall;
  ListTasks(argument: _millrace_scheduler_v1_ListTasksRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_millrace_scheduler_v1_ListTasksResponse__Output>): grpc.ClientUnaryCall;
  ListTasks(argument: _millrace_scheduler_v1_ListTasksRequest, callback: grpc.requestCallback<_millrace_scheduler_v1_ListTasksResponse__Output>): grpc.ClientUnaryCall;
  listTasks(argument: _millrace_scheduler_v1_ListTasksRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_millrace_scheduler_v1_ListTasksResponse__Output>): grpc.ClientUnaryCall;
  listTasks(argument: _millrace_scheduler_v1_ListTasksRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_millrace_scheduler_v1_ListTasksResponse__Output>): grpc.ClientUnaryCall;
  listTasks(argument: _millrace_scheduler_v1_ListTasksRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_millrace_scheduler_v1_ListTasksResponse__Output>): grpc.ClientUnaryCall;
  listTasks(argument: _millrace_scheduler_v1_ListTasksRequest, callback: grpc.requestCallback<_millrace_scheduler_v1_ListTasksResponse__Output>): grpc.ClientUnaryCall;
  
  /**
   * A snapshot first, then every change, until the run ends.
   */
  WatchRun(argument: _millrace_scheduler_v1_WatchRunRequest, metadata: grpc.Metadata, options?: grpc.CallOptions): grpc.ClientReadableStream<_millrace_scheduler_v1_WatchRunResponse__Output>;
  WatchRun(argument: _millrace_scheduler_v1_WatchRunRequest, options?: grpc.CallOptions): grpc.ClientReadableStream<_millrace_scheduler_v1_WatchRunResponse__Output>;
  /**
   * A snapshot first, then every change, until the run ends.
   */
  watchRun(argument: _millrace_scheduler_v1_WatchRunRequest, metadata: grpc.Metadata, options?: grpc.CallOptions): grpc.ClientReadableStream<_millrace_scheduler_v1_WatchRunResponse__Output>;
  watchRun(argument: _millrace_scheduler_v1_WatchRunRequest, options?: grpc.CallOptions): grpc.ClientReadableStream<_millrace_scheduler_v1_WatchRunResponse__Output>;
  
}

/**
 * Public listener; callers present the same tokens as over HTTP.
 */
export interface SchedulerServiceHandlers extends grpc.UntypedServiceImplementation {
  ExplainRun: grpc.handleUnaryCall<_millrace_scheduler_v1_ExplainRunRequest__Output, _millrace_scheduler_v1_ExplainRunResponse>;
  
  GetRun: grpc.handleUnaryCall<_millrace_scheduler_v1_GetRunRequest__Output, _millrace_scheduler_v1_GetRunResponse>;
  
  GetTask: grpc.handleUnaryCall<_millrace_scheduler_v1_GetTaskRequest__Output, _millrace_scheduler_v1_GetTaskResponse>;
  
  ListTasks: grpc.handleUnaryCall<_millrace_scheduler_v1_ListTasksRequest__Output, _millrace_scheduler_v1_ListTasksResponse>;
  
  /**
   * A snapshot first, then every change, until the run ends.
   */
  WatchRun: grpc.handleServerStreamingCall<_millrace_scheduler_v1_WatchRunRequest__Output, _millrace_scheduler_v1_WatchRunResponse>;
  
}

export interface SchedulerServiceDefinition extends grpc.ServiceDefinition {
  ExplainRun: MethodDefinition<_millrace_scheduler_v1_ExplainRunRequest, _millrace_scheduler_v1_ExplainRunResponse, _millrace_scheduler_v1_ExplainRunRequest__Output, _millrace_scheduler_v1_ExplainRunResponse__Output>
  GetRun: MethodDefinition<_millrace_scheduler_v1_GetRunRequest, _millrace_scheduler_v1_GetRunResponse, _millrace_scheduler_v1_GetRunRequest__Output, _millrace_scheduler_v1_GetRunResponse__Output>
  GetTask: MethodDefinition<_millrace_scheduler_v1_GetTaskRequest, _millrace_scheduler_v1_GetTaskResponse, _millrace_scheduler_v1_GetTaskRequest__Output, _millrace_scheduler_v1_GetTaskResponse__Output>
  ListTasks: MethodDefinition<_millrace_scheduler_v1_ListTasksRequest, _millrace_scheduler_v1_ListTasksResponse, _millrace_scheduler_v1_ListTasksRequest__Output, _millrace_scheduler_v1_ListTasksResponse__Output>
  WatchRun: MethodDefinition<_millrace_scheduler_v1_WatchRunRequest, _millrace_scheduler_v1_WatchRunResponse, _millrace_scheduler_v1_WatchRunRequest__Output, _millrace_scheduler_v1_WatchRunResponse__Output>
}
