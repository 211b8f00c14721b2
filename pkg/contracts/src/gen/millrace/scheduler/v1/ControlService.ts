// Original file: proto/scheduler/v1/control.proto

import type * as grpc from '@grpc/grpc-js'
import type { MethodDefinition } from '@grpc/proto-loader'
import type { CommandWorkerRequest as _millrace_scheduler_v1_CommandWorkerRequest, CommandWorkerRequest__Output as _millrace_scheduler_v1_CommandWorkerRequest__Output } from '../../../millrace/scheduler/v1/CommandWorkerRequest.js';
import type { CommandWorkerResponse as _millrace_scheduler_v1_CommandWorkerResponse, CommandWorkerResponse__Output as _millrace_scheduler_v1_CommandWorkerResponse__Output } from '../../../millrace/scheduler/v1/CommandWorkerResponse.js';
import type { ListQueuesRequest as _millrace_scheduler_v1_ListQueuesRequest, ListQueuesRequest__Output as _millrace_scheduler_v1_ListQueuesRequest__Output } from '../../../millrace/scheduler/v1/ListQueuesRequest.js';
import type { ListQueuesResponse as _millrace_scheduler_v1_ListQueuesResponse, ListQueuesResponse__Output as _millrace_scheduler_v1_ListQueuesResponse__Output } from '../../../millrace/scheduler/v1/ListQueuesResponse.js';
import type { ListWorkersRequest as _millrace_scheduler_v1_ListWorkersRequest, ListWorkersRequest__Output as _millrace_scheduler_v1_ListWorkersRequest__Output } from '../../../millrace/scheduler/v1/ListWorkersRequest.js';
import type { ListWorkersResponse as _millrace_scheduler_v1_ListWorkersResponse, ListWorkersResponse__Output as _millrace_scheduler_v1_ListWorkersResponse__Output } from '../../../millrace/scheduler/v1/ListWorkersResponse.js';
import type { UpdateQueueRequest as _millrace_scheduler_v1_UpdateQueueRequest, UpdateQueueRequest__Output as _millrace_scheduler_v1_UpdateQueueRequest__Output } from '../../../millrace/scheduler/v1/UpdateQueueRequest.js';
import type { UpdateQueueResponse as _millrace_scheduler_v1_UpdateQueueResponse, UpdateQueueResponse__Output as _millrace_scheduler_v1_UpdateQueueResponse__Output } from '../../../millrace/scheduler/v1/UpdateQueueResponse.js';

/**
 * Internal listener; callers present a service identity and say for which project they act.
 * Workers and queues as people see and control them; the workflow service is their public face.
 */
export interface ControlServiceClient extends grpc.Client {
  /**
   * Pauses, resumes or drains a worker. Asking for what is so already changes nothing.
   */
  CommandWorker(argument: _millrace_scheduler_v1_CommandWorkerRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_millrace_scheduler_v1_CommandWorkerResponse__Output>): grpc.ClientUnaryCall;
  CommandWorker(argument: _millrace_scheduler_v1_CommandWorkerRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_millrace_scheduler_v1_CommandWorkerResponse__Output>): grpc.ClientUnaryCall;
  CommandWorker(argument: _millrace_scheduler_v1_CommandWorkerRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_millrace_scheduler_v1_CommandWorkerResponse__Output>): grpc.ClientUnaryCall;
  CommandWorker(argument: _millrace_scheduler_v1_CommandWorkerRequest, callback: grpc.requestCallback<_millrace_scheduler_v1_CommandWorkerResponse__Output>): grpc.ClientUnaryCall;
  /**
   * Pauses, resumes or drains a worker. Asking for what is so already changes nothing.
   */
  commandWorker(argument: _millrace_scheduler_v1_CommandWorkerRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_millrace_scheduler_v1_CommandWorkerResponse__Output>): grpc.ClientUnaryCall;
  commandWorker(argument: _millrace_scheduler_v1_CommandWorkerRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_millrace_scheduler_v1_CommandWorkerResponse__Output>): grpc.ClientUnaryCall;
  commandWorker(argument: _millrace_scheduler_v1_CommandWorkerRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_millrace_scheduler_v1_CommandWorkerResponse__Output>): grpc.ClientUnaryCall;
  commandWorker(argument: _millrace_scheduler_v1_CommandWorkerRequest, callback: grpc.requestCallback<_millrace_scheduler_v1_CommandWorkerResponse__Output>): grpc.ClientUnaryCall;
  
  ListQueues(argument: _millrace_scheduler_v1_ListQueuesRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_millrace_scheduler_v1_ListQueuesResponse__Output>): grpc.ClientUnaryCall;
  ListQueues(argument: _millrace_scheduler_v1_ListQueuesRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_millrace_scheduler_v1_ListQueuesResponse__Output>): grpc.ClientUnaryCall;
  ListQueues(argument: _millrace_scheduler_v1_ListQueuesRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_millrace_scheduler_v1_ListQueuesResponse__Output>): grpc.ClientUnaryCall;
  ListQueues(argument: _millrace_scheduler_v1_ListQueuesRequest, callback: grpc.requestCallback<_millrace_scheduler_v1_ListQueuesResponse__Output>): grpc.ClientUnaryCall;
  listQueues(argument: _millrace_scheduler_v1_ListQueuesRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_millrace_scheduler_v1_ListQueuesResponse__Output>): grpc.ClientUnaryCall;
  listQueues(argument: _millrace_scheduler_v1_ListQueuesRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_millrace_scheduler_v1_ListQueuesResponse__Output>): grpc.ClientUnaryCall;
  listQueues(argument: _millrace_scheduler_v1_ListQueuesRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_millrace_scheduler_v1_ListQueuesResponse__Output>): grpc.ClientUnaryCall;
  listQueues(argument: _millrace_scheduler_v1_ListQueuesRequest, callback: grpc.requestCallback<_millrace_scheduler_v1_ListQueuesResponse__Output>): grpc.ClientUnaryCall;
  
  ListWorkers(argument: _millrace_scheduler_v1_ListWorkersRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_millrace_scheduler_v1_ListWorkersResponse__Output>): grpc.ClientUnaryCall;
  ListWorkers(argument: _millrace_scheduler_v1_ListWorkersRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_millrace_scheduler_v1_ListWorkersResponse__Output>): grpc.ClientUnaryCall;
  ListWorkers(argument: _millrace_scheduler_v1_ListWorkersRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_millrace_scheduler_v1_ListWorkersResponse__Output>): grpc.ClientUnaryCall;
  ListWorkers(argument: _millrace_scheduler_v1_ListWorkersRequest, callback: grpc.requestCallback<_millrace_scheduler_v1_ListWorkersResponse__Output>): grpc.ClientUnaryCall;
  listWorkers(argument: _millrace_scheduler_v1_ListWorkersRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_millrace_scheduler_v1_ListWorkersResponse__Output>): grpc.ClientUnaryCall;
  listWorkers(argument: _millrace_scheduler_v1_ListWorkersRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_millrace_scheduler_v1_ListWorkersResponse__Output>): grpc.ClientUnaryCall;
  listWorkers(argument: _millrace_scheduler_v1_ListWorkersRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_millrace_scheduler_v1_ListWorkersResponse__Output>): grpc.ClientUnaryCall;
  listWorkers(argument: _millrace_scheduler_v1_ListWorkersRequest, callback: grpc.requestCallback<_millrace_scheduler_v1_ListWorkersResponse__Output>): grpc.ClientUnaryCall;
  
  /**
   * Also makes the settings of a queue that has none yet.
   */
  UpdateQueue(argument: _millrace_scheduler_v1_UpdateQueueRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_millrace_scheduler_v1_UpdateQueueResponse__Output>): grpc.ClientUnaryCall;
  UpdateQueue(argument: _millrace_scheduler_v1_UpdateQueueRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_millrace_scheduler_v1_UpdateQueueResponse__Output>): grpc.ClientUnaryCall;
  UpdateQueue(argument: _millrace_scheduler_v1_UpdateQueueRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_millrace_scheduler_v1_UpdateQueueResponse__Output>): grpc.ClientUnaryCall;
  UpdateQueue(argument: _millrace_scheduler_v1_UpdateQueueRequest, callback: grpc.requestCallback<_millrace_scheduler_v1_UpdateQueueResponse__Output>): grpc.ClientUnaryCall;
  /**
   * Also makes the settings of a queue that has none yet.
   */
  updateQueue(argument: _millrace_scheduler_v1_UpdateQueueRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_millrace_scheduler_v1_UpdateQueueResponse__Output>): grpc.ClientUnaryCall;
  updateQueue(argument: _millrace_scheduler_v1_UpdateQueueRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_millrace_scheduler_v1_UpdateQueueResponse__Output>): grpc.ClientUnaryCall;
  updateQueue(argument: _millrace_scheduler_v1_UpdateQueueRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_millrace_scheduler_v1_UpdateQueueResponse__Output>): grpc.ClientUnaryCall;
  updateQueue(argument: _millrace_scheduler_v1_UpdateQueueRequest, callback: grpc.requestCallback<_millrace_scheduler_v1_UpdateQueueResponse__Output>): grpc.ClientUnaryCall;
  
}

/**
 * Internal listener; callers present a service identity and say for which project they act.
 * Workers and queues as people see and control them; the workflow service is their public face.
 */
export interface ControlServiceHandlers extends grpc.UntypedServiceImplementation {
  /**
   * Pauses, resumes or drains a worker. Asking for what is so already changes nothing.
   */
  CommandWorker: grpc.handleUnaryCall<_millrace_scheduler_v1_CommandWorkerRequest__Output, _millrace_scheduler_v1_CommandWorkerResponse>;
  
  ListQueues: grpc.handleUnaryCall<_millrace_scheduler_v1_ListQueuesRequest__Output, _millrace_scheduler_v1_ListQueuesResponse>;
  
  ListWorkers: grpc.handleUnaryCall<_millrace_scheduler_v1_ListWorkersRequest__Output, _millrace_scheduler_v1_ListWorkersResponse>;
  
  /**
   * Also makes the settings of a queue that has none yet.
   */
  UpdateQueue: grpc.handleUnaryCall<_millrace_scheduler_v1_UpdateQueueRequest__Output, _millrace_scheduler_v1_UpdateQueueResponse>;
  
}

export interface ControlServiceDefinition extends grpc.ServiceDefinition {
  CommandWorker: MethodDefinition<_millrace_scheduler_v1_CommandWorkerRequest, _millrace_scheduler_v1_CommandWorkerResponse, _millrace_scheduler_v1_CommandWorkerRequest__Output, _millrace_scheduler_v1_CommandWorkerResponse__Output>
  ListQueues: MethodDefinition<_millrace_scheduler_v1_ListQueuesRequest, _millrace_scheduler_v1_ListQueuesResponse, _millrace_scheduler_v1_ListQueuesRequest__Output, _millrace_scheduler_v1_ListQueuesResponse__Output>
  ListWorkers: MethodDefinition<_millrace_scheduler_v1_ListWorkersRequest, _millrace_scheduler_v1_ListWorkersResponse, _millrace_scheduler_v1_ListWorkersRequest__Output, _millrace_scheduler_v1_ListWorkersResponse__Output>
  UpdateQueue: MethodDefinition<_millrace_scheduler_v1_UpdateQueueRequest, _millrace_scheduler_v1_UpdateQueueResponse, _millrace_scheduler_v1_UpdateQueueRequest__Output, _millrace_scheduler_v1_UpdateQueueResponse__Output>
}
