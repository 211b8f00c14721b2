// Original file: proto/scheduler/v1/scheduler.proto

import type * as grpc from '@grpc/grpc-js'
import type { MethodDefinition } from '@grpc/proto-loader'
import type { CancelRunRequest as _millrace_scheduler_v1_CancelRunRequest, CancelRunRequest__Output as _millrace_scheduler_v1_CancelRunRequest__Output } from '../../../millrace/scheduler/v1/CancelRunRequest.js';
import type { CancelRunResponse as _millrace_scheduler_v1_CancelRunResponse, CancelRunResponse__Output as _millrace_scheduler_v1_CancelRunResponse__Output } from '../../../millrace/scheduler/v1/CancelRunResponse.js';
import type { ExplainRunRequest as _millrace_scheduler_v1_ExplainRunRequest, ExplainRunRequest__Output as _millrace_scheduler_v1_ExplainRunRequest__Output } from '../../../millrace/scheduler/v1/ExplainRunRequest.js';
import type { ExplainRunResponse as _millrace_scheduler_v1_ExplainRunResponse, ExplainRunResponse__Output as _millrace_scheduler_v1_ExplainRunResponse__Output } from '../../../millrace/scheduler/v1/ExplainRunResponse.js';
import type { GetRunRequest as _millrace_scheduler_v1_GetRunRequest, GetRunRequest__Output as _millrace_scheduler_v1_GetRunRequest__Output } from '../../../millrace/scheduler/v1/GetRunRequest.js';
import type { GetRunResponse as _millrace_scheduler_v1_GetRunResponse, GetRunResponse__Output as _millrace_scheduler_v1_GetRunResponse__Output } from '../../../millrace/scheduler/v1/GetRunResponse.js';
import type { HoldsLeaseRequest as _millrace_scheduler_v1_HoldsLeaseRequest, HoldsLeaseRequest__Output as _millrace_scheduler_v1_HoldsLeaseRequest__Output } from '../../../millrace/scheduler/v1/HoldsLeaseRequest.js';
import type { HoldsLeaseResponse as _millrace_scheduler_v1_HoldsLeaseResponse, HoldsLeaseResponse__Output as _millrace_scheduler_v1_HoldsLeaseResponse__Output } from '../../../millrace/scheduler/v1/HoldsLeaseResponse.js';
import type { ListRunsRequest as _millrace_scheduler_v1_ListRunsRequest, ListRunsRequest__Output as _millrace_scheduler_v1_ListRunsRequest__Output } from '../../../millrace/scheduler/v1/ListRunsRequest.js';
import type { ListRunsResponse as _millrace_scheduler_v1_ListRunsResponse, ListRunsResponse__Output as _millrace_scheduler_v1_ListRunsResponse__Output } from '../../../millrace/scheduler/v1/ListRunsResponse.js';
import type { ListTasksRequest as _millrace_scheduler_v1_ListTasksRequest, ListTasksRequest__Output as _millrace_scheduler_v1_ListTasksRequest__Output } from '../../../millrace/scheduler/v1/ListTasksRequest.js';
import type { ListTasksResponse as _millrace_scheduler_v1_ListTasksResponse, ListTasksResponse__Output as _millrace_scheduler_v1_ListTasksResponse__Output } from '../../../millrace/scheduler/v1/ListTasksResponse.js';
import type { WatchRunRequest as _millrace_scheduler_v1_WatchRunRequest, WatchRunRequest__Output as _millrace_scheduler_v1_WatchRunRequest__Output } from '../../../millrace/scheduler/v1/WatchRunRequest.js';
import type { WatchRunResponse as _millrace_scheduler_v1_WatchRunResponse, WatchRunResponse__Output as _millrace_scheduler_v1_WatchRunResponse__Output } from '../../../millrace/scheduler/v1/WatchRunResponse.js';

/**
 * Internal listener; callers present a service identity and say for which project they act.
 */
export interface SchedulerInternalServiceClient extends grpc.Client {
  CancelRun(argument: _millrace_scheduler_v1_CancelRunRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_millrace_scheduler_v1_CancelRunResponse__Output>): grpc.ClientUnaryCall;
  CancelRun(argument: _millrace_scheduler_v1_CancelRunRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_millrace_scheduler_v1_CancelRunResponse__Output>): grpc.ClientUnaryCall;
  CancelRun(argument: _millrace_scheduler_v1_CancelRunRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_millrace_scheduler_v1_CancelRunResponse__Output>): grpc.ClientUnaryCall;
  CancelRun(argument: _millrace_scheduler_v1_CancelRunRequest, callback: grpc.requestCallback<_millrace_scheduler_v1_CancelRunResponse__Output>): grpc.ClientUnaryCall;
  cancelRun(argument: _millrace_scheduler_v1_CancelRunRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_millrace_scheduler_v1_CancelRunResponse__Output>): grpc.ClientUnaryCall;
  cancelRun(argument: _millrace_scheduler_v1_CancelRunRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_millrace_scheduler_v1_CancelRunResponse__Output>): grpc.ClientUnaryCall;
  cancelRun(argument: _millrace_scheduler_v1_CancelRunRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_millrace_scheduler_v1_CancelRunResponse__Output>): grpc.ClientUnaryCall;
  cancelRun(argument: _millrace_scheduler_v1_CancelRunRequest, callback: grpc.requestCallback<_millrace_scheduler_v1_CancelRunResponse__Output>): grpc.ClientUnaryCall;
  
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
  
  /**
   * Whether a worker session holds a live lease in a run: what lets a worker touch that run's artifacts.
   */
  HoldsLease(argument: _millrace_scheduler_v1_HoldsLeaseRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_millrace_scheduler_v1_HoldsLeaseResponse__Output>): grpc.ClientUnaryCall;
  HoldsLease(argument: _millrace_scheduler_v1_HoldsLeaseRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_millrace_scheduler_v1_HoldsLeaseResponse__Output>): grpc.ClientUnaryCall;
  HoldsLease(argument: _millrace_scheduler_v1_HoldsLeaseRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_millrace_scheduler_v1_HoldsLeaseResponse__Output>): grpc.ClientUnaryCall;
  HoldsLease(argument: _millrace_scheduler_v1_HoldsLeaseRequest, callback: grpc.requestCallback<_millrace_scheduler_v1_HoldsLeaseResponse__Output>): grpc.ClientUnaryCall;
  /**
   * Whether a worker session holds a live lease in a run: what lets a worker touch that run's artifacts.
   */
  holdsLease(argument: _millrace_scheduler_v1_HoldsLeaseRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_millrace_scheduler_v1_HoldsLeaseResponse__Output>): grpc.ClientUnaryCall;
  holdsLease(argument: _millrace_scheduler_v1_HoldsLeaseRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_millrace_scheduler_v1_HoldsLeaseResponse__Output>): grpc.ClientUnaryCall;
  holdsLease(argument: _millrace_scheduler_v1_HoldsLeaseRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_millrace_scheduler_v1_HoldsLeaseResponse__Output>): grpc.ClientUnaryCall;
  holdsLease(argument: _millrace_scheduler_v1_HoldsLeaseRequest, callback: grpc.requestCallback<_millrace_scheduler_v1_HoldsLeaseResponse__Output>): grpc.ClientUnaryCall;
  
  ListRuns(argument: _millrace_scheduler_v1_ListRunsRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_millrace_scheduler_v1_ListRunsResponse__Output>): grpc.ClientUnaryCall;
  ListRuns(argument: _millrace_scheduler_v1_ListRunsRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_millrace_scheduler_v1_ListRunsResponse__Output>): grpc.ClientUnaryCall;
  ListRuns(argument: _millrace_scheduler_v1_ListRunsRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_millrace_scheduler_v1_ListRunsResponse__Output>): grpc.ClientUnaryCall;
  ListRuns(argument: _millrace_scheduler_v1_ListRunsRequest, callback: grpc.requestCallback<_millrace_scheduler_v1_ListRunsResponse__Output>): grpc.ClientUnaryCall;
  listRuns(argument: _millrace_scheduler_v1_ListRunsRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_millrace_scheduler_v1_ListRunsResponse__Output>): grpc.ClientUnaryCall;
  listRuns(argument: _millrace_scheduler_v1_ListRunsRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_millrace_scheduler_v1_ListRunsResponse__Output>): grpc.ClientUnaryCall;
  listRuns(argument: _millrace_scheduler_v1_ListRunsRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_millrace_scheduler_v1_ListRunsResponse__Output>): grpc.ClientUnaryCall;
  listRuns(argument: _millrace_scheduler_v1_ListRunsRequest, callback: grpc.requestCallback<_millrace_scheduler_v1_ListRunsResponse__Output>): grpc.ClientUnaryCall;
  
  ListTasks(argument: _millrace_scheduler_v1_ListTasksRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_millrace_scheduler_v1_ListTasksResponse__Output>): grpc.ClientUnaryCall;
  ListTasks(argument: _millrace_scheduler_v1_ListTasksRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_millrace_scheduler_v1_ListTasksResponse__Output>): grpc.ClientUnaryCall;
  ListTasks(argument: _millrace_scheduler_v1_ListTasksRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_millrace_scheduler_v1_ListTasksResponse__Output>): grpc.ClientUnaryCall;
  ListTasks(argument: _millrace_scheduler_v1_ListTasksRequest, callback: grpc.requestCallback<_millrace_scheduler_v1_ListTasksResponse__Output>): grpc.ClientUnaryCall;
  listTasks(argument: _millrace_scheduler_v1_ListTasksRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_millrace_scheduler_v1_ListTasksResponse__Output>): grpc.ClientUnaryCall;
  listTasks(argument: _millrace_scheduler_v1_ListTasksRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_millrace_scheduler_v1_ListTasksResponse__Output>): grpc.ClientUnaryCall;
  listTasks(argument: _millrace_scheduler_v1_ListTasksRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_millrace_scheduler_v1_ListTasksResponse__Output>): grpc.ClientUnaryCall;
  listTasks(argument: _millrace_scheduler_v1_ListTasksRequest, callback: grpc.requestCallback<_millrace_scheduler_v1_ListTasksResponse__Output>): grpc.ClientUnaryCall;
  
  WatchRun(argument: _millrace_scheduler_v1_WatchRunRequest, metadata: grpc.Metadata, options?: grpc.CallOptions): grpc.ClientReadableStream<_millrace_scheduler_v1_WatchRunResponse__Output>;
  WatchRun(argument: _millrace_scheduler_v1_WatchRunRequest, options?: grpc.CallOptions): grpc.ClientReadableStream<_millrace_scheduler_v1_WatchRunResponse__Output>;
  watchRun(argument: _millrace_scheduler_v1_WatchRunRequest, metadata: grpc.Metadata, options?: grpc.CallOptions): grpc.ClientReadableStream<_millrace_scheduler_v1_WatchRunResponse__Output>;
  watchRun(argument: _millrace_scheduler_v1_WatchRunRequest, options?: grpc.CallOptions): grpc.ClientReadableStream<_millrace_scheduler_v1_WatchRunResponse__Output>;
  
}

/**
 * Internal listener; callers present a service identity and say for which project they act.
 */
export interface SchedulerInternalServiceHandlers extends grpc.UntypedServiceImplementation {
  CancelRun: grpc.handleUnaryCall<_millrace_scheduler_v1_CancelRunRequest__Output, _millrace_scheduler_v1_CancelRunResponse>;
  
  ExplainRun: grpc.handleUnaryCall<_millrace_scheduler_v1_ExplainRunRequest__Output, _millrace_scheduler_v1_ExplainRunResponse>;
  
  GetRun: grpc.handleUnaryCall<_millrace_scheduler_v1_GetRunRequest__Output, _millrace_scheduler_v1_GetRunResponse>;
  
  /**
   * Whether a worker session holds a live lease in a run: what lets a worker touch that run's artifacts.
   */
  HoldsLease: grpc.handleUnaryCall<_millrace_scheduler_v1_HoldsLeaseRequest__Output, _millrace_scheduler_v1_HoldsLeaseResponse>;
  
  ListRuns: grpc.handleUnaryCall<_millrace_scheduler_v1_ListRunsRequest__Output, _millrace_scheduler_v1_ListRunsResponse>;
  
  ListTasks: grpc.handleUnaryCall<_millrace_scheduler_v1_ListTasksRequest__Output, _millrace_scheduler_v1_ListTasksResponse>;
  
  WatchRun: grpc.handleServerStreamingCall<_millrace_scheduler_v1_WatchRunRequest__Output, _millrace_scheduler_v1_WatchRunResponse>;
  
}

export interface SchedulerInternalServiceDefinition extends grpc.ServiceDefinition {
  CancelRun: MethodDefinition<_millrace_scheduler_v1_CancelRunRequest, _millrace_scheduler_v1_CancelRunResponse, _millrace_scheduler_v1_CancelRunRequest__Output, _millrace_scheduler_v1_CancelRunResponse__Output>
  ExplainRun: MethodDefinition<_millrace_scheduler_v1_ExplainRunRequest, _millrace_scheduler_v1_ExplainRunResponse, _millrace_scheduler_v1_ExplainRunRequest__Output, _millrace_scheduler_v1_ExplainRunResponse__Output>
  GetRun: MethodDefinition<_millrace_scheduler_v1_GetRunRequest, _millrace_scheduler_v1_GetRunResponse, _millrace_scheduler_v1_GetRunRequest__Output, _millrace_scheduler_v1_GetRunResponse__Output>
  HoldsLease: MethodDefinition<_millrace_scheduler_v1_HoldsLeaseRequest, _millrace_scheduler_v1_HoldsLeaseResponse, _millrace_scheduler_v1_HoldsLeaseRequest__Output, _millrace_scheduler_v1_HoldsLeaseResponse__Output>
  ListRuns: MethodDefinition<_millrace_scheduler_v1_ListRunsRequest, _millrace_scheduler_v1_ListRunsResponse, _millrace_scheduler_v1_ListRunsRequest__Output, _millrace_scheduler_v1_ListRunsResponse__Output>
  ListTasks: MethodDefinition<_millrace_scheduler_v1_ListTasksRequest, _millrace_scheduler_v1_ListTasksResponse, _millrace_scheduler_v1_ListTasksRequest__Output, _millrace_scheduler_v1_ListTasksResponse__Output>
  WatchRun: MethodDefinition<_millrace_scheduler_v1_WatchRunRequest, _millrace_scheduler_v1_WatchRunResponse, _millrace_scheduler_v1_WatchRunRequest__Output, _millrace_scheduler_v1_WatchRunResponse__Output>
}
