// Original file: proto/scheduler/v1/dispatch.proto

import type * as grpc from '@grpc/grpc-js'
import type { MethodDefinition } from '@grpc/proto-loader'
import type { CommandsRequest as _millrace_scheduler_v1_CommandsRequest, CommandsRequest__Output as _millrace_scheduler_v1_CommandsRequest__Output } from '../../../millrace/scheduler/v1/CommandsRequest.js';
import type { CommandsResponse as _millrace_scheduler_v1_CommandsResponse, CommandsResponse__Output as _millrace_scheduler_v1_CommandsResponse__Output } from '../../../millrace/scheduler/v1/CommandsResponse.js';
import type { DeregisterRequest as _millrace_scheduler_v1_DeregisterRequest, DeregisterRequest__Output as _millrace_scheduler_v1_DeregisterRequest__Output } from '../../../millrace/scheduler/v1/DeregisterRequest.js';
import type { DeregisterResponse as _millrace_scheduler_v1_DeregisterResponse, DeregisterResponse__Output as _millrace_scheduler_v1_DeregisterResponse__Output } from '../../../millrace/scheduler/v1/DeregisterResponse.js';
import type { HeartbeatRequest as _millrace_scheduler_v1_HeartbeatRequest, HeartbeatRequest__Output as _millrace_scheduler_v1_HeartbeatRequest__Output } from '../../../millrace/scheduler/v1/HeartbeatRequest.js';
import type { HeartbeatResponse as _millrace_scheduler_v1_HeartbeatResponse, HeartbeatResponse__Output as _millrace_scheduler_v1_HeartbeatResponse__Output } from '../../../millrace/scheduler/v1/HeartbeatResponse.js';
import type { LeaseTasksRequest as _millrace_scheduler_v1_LeaseTasksRequest, LeaseTasksRequest__Output as _millrace_scheduler_v1_LeaseTasksRequest__Output } from '../../../millrace/scheduler/v1/LeaseTasksRequest.js';
import type { LeaseTasksResponse as _millrace_scheduler_v1_LeaseTasksResponse, LeaseTasksResponse__Output as _millrace_scheduler_v1_LeaseTasksResponse__Output } from '../../../millrace/scheduler/v1/LeaseTasksResponse.js';
import type { RegisterRequest as _millrace_scheduler_v1_RegisterRequest, RegisterRequest__Output as _millrace_scheduler_v1_RegisterRequest__Output } from '../../../millrace/scheduler/v1/RegisterRequest.js';
import type { RegisterResponse as _millrace_scheduler_v1_RegisterResponse, RegisterResponse__Output as _millrace_scheduler_v1_RegisterResponse__Output } from '../../../millrace/scheduler/v1/RegisterResponse.js';
import type { ReportResultsRequest as _millrace_scheduler_v1_ReportResultsRequest, ReportResultsRequest__Output as _millrace_scheduler_v1_ReportResultsRequest__Output } from '../../../millrace/scheduler/v1/ReportResultsRequest.js';
import type { ReportResultsResponse as _millrace_scheduler_v1_ReportResultsResponse, ReportResultsResponse__Output as _millrace_scheduler_v1_ReportResultsResponse__Output } from '../../../millrace/scheduler/v1/ReportResultsResponse.js';
import type { WorkRequest as _millrace_scheduler_v1_WorkRequest, WorkRequest__Output as _millrace_scheduler_v1_WorkRequest__Output } from '../../../millrace/scheduler/v1/WorkRequest.js';
import type { WorkResponse as _millrace_scheduler_v1_WorkResponse, WorkResponse__Output as _millrace_scheduler_v1_WorkResponse__Output } from '../../../millrace/scheduler/v1/WorkResponse.js';

/**
 * For workers in any language. Public listener; a project's key leases that project's tasks only,
 * a service identity (the built-in shared worker) leases for all projects.
 */
export interface DispatchServiceClient extends grpc.Client {
  /**
   * What the worker is asked to do, at once.
   */
  Commands(argument: _millrace_scheduler_v1_CommandsRequest, metadata: grpc.Metadata, options?: grpc.CallOptions): grpc.ClientReadableStream<_millrace_scheduler_v1_CommandsResponse__Output>;
  Commands(argument: _millrace_scheduler_v1_CommandsRequest, options?: grpc.CallOptions): grpc.ClientReadableStream<_millrace_scheduler_v1_CommandsResponse__Output>;
  /**
   * What the worker is asked to do, at once.
   */
  commands(argument: _millrace_scheduler_v1_CommandsRequest, metadata: grpc.Metadata, options?: grpc.CallOptions): grpc.ClientReadableStream<_millrace_scheduler_v1_CommandsResponse__Output>;
  commands(argument: _millrace_scheduler_v1_CommandsRequest, options?: grpc.CallOptions): grpc.ClientReadableStream<_millrace_scheduler_v1_CommandsResponse__Output>;
  
  /**
   * A worker that ends deregisters: what it still holds goes back to the queue at once.
   */
  Deregister(argument: _millrace_scheduler_v1_DeregisterRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_millrace_scheduler_v1_DeregisterResponse__Output>): grpc.ClientUnaryCall;
  Deregister(argument: _millrace_scheduler_v1_DeregisterRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_millrace_scheduler_v1_DeregisterResponse__Output>): grpc.ClientUnaryCall;
  Deregister(argument: _millrace_scheduler_v1_DeregisterRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_millrace_scheduler_v1_DeregisterResponse__Output>): grpc.ClientUnaryCall;
  Deregister(argument: _millrace_scheduler_v1_DeregisterRequest, callback: grpc.requestCallback<_millrace_scheduler_v1_DeregisterResponse__Output>): grpc.ClientUnaryCall;
  /**
   * A worker that ends deregisters: what it still holds goes back to the queue at once.
   */
  deregister(argument: _millrace_scheduler_v1_DeregisterRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_millrace_scheduler_v1_DeregisterResponse__Output>): grpc.ClientUnaryCall;
  deregister(argument: _millrace_scheduler_v1_DeregisterRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_millrace_scheduler_v1_DeregisterResponse__Output>): grpc.ClientUnaryCall;
  deregister(argument: _millrace_scheduler_v1_DeregisterRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_millrace_scheduler_v1_DeregisterResponse__Output>): grpc.ClientUnaryCall;
  deregister(argument: _millrace_scheduler_v1_DeregisterRequest, callback: grpc.requestCallback<_millrace_scheduler_v1_DeregisterResponse__Output>): grpc.ClientUnaryCall;
  
  /**
   * Keeps the session alive and names every lease the worker holds.
   */
  Heartbeat(argument: _millrace_scheduler_v1_HeartbeatRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_millrace_scheduler_v1_HeartbeatResponse__Output>): grpc.ClientUnaryCall;
  Heartbeat(argument: _millrace_scheduler_v1_HeartbeatRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_millrace_scheduler_v1_HeartbeatResponse__Output>): grpc.ClientUnaryCall;
  Heartbeat(argument: _millrace_scheduler_v1_HeartbeatRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_millrace_scheduler_v1_HeartbeatResponse__Output>): grpc.ClientUnaryCall;
  Heartbeat(argument: _millrace_scheduler_v1_HeartbeatRequest, callback: grpc.requestCallback<_millrace_scheduler_v1_HeartbeatResponse__Output>): grpc.ClientUnaryCall;
  /**
   * Keeps the session alive and names every lease the worker holds.
   */
  heartbeat(argument: _millrace_scheduler_v1_HeartbeatRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_millrace_scheduler_v1_HeartbeatResponse__Output>): grpc.ClientUnaryCall;
  heartbeat(argument: _millrace_scheduler_v1_HeartbeatRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_millrace_scheduler_v1_HeartbeatResponse__Output>): grpc.ClientUnaryCall;
  heartbeat(argument: _millrace_scheduler_v1_HeartbeatRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_millrace_scheduler_v1_HeartbeatResponse__Output>): grpc.ClientUnaryCall;
  heartbeat(argument: _millrace_scheduler_v1_HeartbeatRequest, callback: grpc.requestCallback<_millrace_scheduler_v1_HeartbeatResponse__Output>): grpc.ClientUnaryCall;
  
  /**
   * Waits until there is work, a hand's turn at most; an empty answer means ask again.
   */
  LeaseTasks(argument: _millrace_scheduler_v1_LeaseTasksRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_millrace_scheduler_v1_LeaseTasksResponse__Output>): grpc.ClientUnaryCall;
  LeaseTasks(argument: _millrace_scheduler_v1_LeaseTasksRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_millrace_scheduler_v1_LeaseTasksResponse__Output>): grpc.ClientUnaryCall;
  LeaseTasks(argument: _millrace_scheduler_v1_LeaseTasksRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_millrace_scheduler_v1_LeaseTasksResponse__Output>): grpc.ClientUnaryCall;
  LeaseTasks(argument: _millrace_scheduler_v1_LeaseTasksRequest, callback: grpc.requestCallback<_millrace_scheduler_v1_LeaseTasksResponse__Output>): grpc.ClientUnaryCall;
  /**
   * Waits until there is work, a hand's turn at most; an empty answer means ask again.
   */
  leaseTasks(argument: _millrace_scheduler_v1_LeaseTasksRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_millrace_scheduler_v1_LeaseTasksResponse__Output>): grpc.ClientUnaryCall;
  leaseTasks(argument: _millrace_scheduler_v1_LeaseTasksRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_millrace_scheduler_v1_LeaseTasksResponse__Output>): grpc.ClientUnaryCall;
  leaseTasks(argument: _millrace_scheduler_v1_LeaseTasksRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_millrace_scheduler_v1_LeaseTasksResponse__Output>): grpc.ClientUnaryCall;
  leaseTasks(argument: _millrace_scheduler_v1_LeaseTasksRequest, callback: grpc.requestCallback<_millrace_scheduler_v1_LeaseTasksResponse__Output>): grpc.ClientUnaryCall;
  
  /**
   * A new process introduces itself and gets a session. A session outlives reconnects and scheduler restarts.
   */
  Register(argument: _millrace_scheduler_v1_RegisterRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_millrace_scheduler_v1_RegisterResponse__Output>): grpc.ClientUnaryCall;
  Register(argument: _millrace_scheduler_v1_RegisterRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_millrace_scheduler_v1_RegisterResponse__Output>): grpc.ClientUnaryCall;
  Register(argument: _millrace_scheduler_v1_RegisterRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_millrace_scheduler_v1_RegisterResponse__Output>): grpc.ClientUnaryCall;
  Register(argument: _millrace_scheduler_v1_RegisterRequest, callback: grpc.requestCallback<_millrace_scheduler_v1_RegisterResponse__Output>): grpc.ClientUnaryCall;
  /**
   * A new process introduces itself and gets a session. A session outlives reconnects and scheduler restarts.
   */
  register(argument: _millrace_scheduler_v1_RegisterRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_millrace_scheduler_v1_RegisterResponse__Output>): grpc.ClientUnaryCall;
  register(argument: _millrace_scheduler_v1_RegisterRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_millrace_scheduler_v1_RegisterResponse__Output>): grpc.ClientUnaryCall;
  register(argument: _millrace_scheduler_v1_RegisterRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_millrace_scheduler_v1_RegisterResponse__Output>): grpc.ClientUnaryCall;
  register(argument: _millrace_scheduler_v1_RegisterRequest, callback: grpc.requestCallback<_millrace_scheduler_v1_RegisterResponse__Output>): grpc.ClientUnaryCall;
  
  /**
   * Ends leases. Safe to repeat: the second arrival changes nothing.
   */
  ReportResults(argument: _millrace_scheduler_v1_ReportResultsRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_millrace_scheduler_v1_ReportResultsResponse__Output>): grpc.ClientUnaryCall;
  ReportResults(argument: _millrace_scheduler_v1_ReportResultsRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_millrace_scheduler_v1_ReportResultsResponse__Output>): grpc.ClientUnaryCall;
  ReportResults(argument: _millrace_scheduler_v1_ReportResultsRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_millrace_scheduler_v1_ReportResultsResponse__Output>): grpc.ClientUnaryCall;
  ReportResults(argument: _millrace_scheduler_v1_ReportResultsRequest, callback: grpc.requestCallback<_millrace_scheduler_v1_ReportResultsResponse__Output>): grpc.ClientUnaryCall;
  /**
   * Ends leases. Safe to repeat: the second arrival changes nothing.
   */
  reportResults(argument: _millrace_scheduler_v1_ReportResultsRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_millrace_scheduler_v1_ReportResultsResponse__Output>): grpc.ClientUnaryCall;
  reportResults(argument: _millrace_scheduler_v1_ReportResultsRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_millrace_scheduler_v1_ReportResultsResponse__Output>): grpc.ClientUnaryCall;
  reportResults(argument: _millrace_scheduler_v1_ReportResultsRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_millrace_scheduler_v1_ReportResultsResponse__Output>): grpc.ClientUnaryCall;
  reportResults(argument: _millrace_scheduler_v1_ReportResultsRequest, callback: grpc.requestCallback<_millrace_scheduler_v1_ReportResultsResponse__Output>): grpc.ClientUnaryCall;
  
  /**
   * LeaseTasks and ReportResults on one stream, for whom a call each is too dear; each message is answered like its call.
   * When the stream breaks, what was not answered is asked again, on a new one or by calls: both are safe to repeat.
   */
  Work(metadata: grpc.Metadata, options?: grpc.CallOptions): grpc.ClientDuplexStream<_millrace_scheduler_v1_WorkRequest, _millrace_scheduler_v1_WorkResponse__Output>;
  Work(options?: grpc.CallOptions): grpc.ClientDuplexStream<_millrace_scheduler_v1_WorkRequest, _millrace_scheduler_v1_WorkResponse__Output>;
  /**
   * LeaseTasks and ReportResults on one stream, for whom a call each is too dear; each message is answered like its call.
   * When the stream breaks, what was not answered is asked again, on a new one or by calls: both are safe to repeat.
   */
  work(metadata: grpc.Metadata, options?: grpc.CallOptions): grpc.ClientDuplexStream<_millrace_scheduler_v1_WorkRequest, _millrace_scheduler_v1_WorkResponse__Output>;
  work(options?: grpc.CallOptions): grpc.ClientDuplexStream<_millrace_scheduler_v1_WorkRequest, _millrace_scheduler_v1_WorkResponse__Output>;
  
}

/**
 * For workers in any language. Public listener; a project's key leases that project's tasks only,
 * a service identity (the built-in shared worker) leases for all projects.
 */
export interface DispatchServiceHandlers extends grpc.UntypedServiceImplementation {
  /**
   * What the worker is asked to do, at once.
   */
  Commands: grpc.handleServerStreamingCall<_millrace_scheduler_v1_CommandsRequest__Output, _millrace_scheduler_v1_CommandsResponse>;
  
  /**
   * A worker that ends deregisters: what it still holds goes back to the queue at once.
   */
  Deregister: grpc.handleUnaryCall<_millrace_scheduler_v1_DeregisterRequest__Output, _millrace_scheduler_v1_DeregisterResponse>;
  
  /**
   * Keeps the session alive and names every lease the worker holds.
   */
  Heartbeat: grpc.handleUnaryCall<_millrace_scheduler_v1_HeartbeatRequest__Output, _millrace_scheduler_v1_HeartbeatResponse>;
  
  /**
   * Waits until there is work, a hand's turn at most; an empty answer means ask again.
   */
  LeaseTasks: grpc.handleUnaryCall<_millrace_scheduler_v1_LeaseTasksRequest__Output, _millrace_scheduler_v1_LeaseTasksResponse>;
  
  /**
   * A new process introduces itself and gets a session. A session outlives reconnects and scheduler restarts.
   */
  Register: grpc.handleUnaryCall<_millrace_scheduler_v1_RegisterRequest__Output, _millrace_scheduler_v1_RegisterResponse>;
  
  /**
   * Ends leases. Safe to repeat: the second arrival changes nothing.
   */
  ReportResults: grpc.handleUnaryCall<_millrace_scheduler_v1_ReportResultsRequest__Output, _millrace_scheduler_v1_ReportResultsResponse>;
  
  /**
   * LeaseTasks and ReportResults on one stream, for whom a call each is too dear; each message is answered like its call.
   * When the stream breaks, what was not answered is asked again, on a new one or by calls: both are safe to repeat.
   */
  Work: grpc.handleBidiStreamingCall<_millrace_scheduler_v1_WorkRequest__Output, _millrace_scheduler_v1_WorkResponse>;
  
}

export interface DispatchServiceDefinition extends grpc.ServiceDefinition {
  Commands: MethodDefinition<_millrace_scheduler_v1_CommandsRequest, _millrace_scheduler_v1_CommandsResponse, _millrace_scheduler_v1_CommandsRequest__Output, _millrace_scheduler_v1_CommandsResponse__Output>
  Deregister: MethodDefinition<_millrace_scheduler_v1_DeregisterRequest, _millrace_scheduler_v1_DeregisterResponse, _millrace_scheduler_v1_DeregisterRequest__Output, _millrace_scheduler_v1_DeregisterResponse__Output>
  Heartbeat: MethodDefinition<_millrace_scheduler_v1_HeartbeatRequest, _millrace_scheduler_v1_HeartbeatResponse, _millrace_scheduler_v1_HeartbeatRequest__Output, _millrace_scheduler_v1_HeartbeatResponse__Output>
  LeaseTasks: MethodDefinition<_millrace_scheduler_v1_LeaseTasksRequest, _millrace_scheduler_v1_LeaseTasksResponse, _millrace_scheduler_v1_LeaseTasksRequest__Output, _millrace_scheduler_v1_LeaseTasksResponse__Output>
  Register: MethodDefinition<_millrace_scheduler_v1_RegisterRequest, _millrace_scheduler_v1_RegisterResponse, _millrace_scheduler_v1_RegisterRequest__Output, _millrace_scheduler_v1_RegisterResponse__Output>
  ReportResults: MethodDefinition<_millrace_scheduler_v1_ReportResultsRequest, _millrace_scheduler_v1_ReportResultsResponse, _millrace_scheduler_v1_ReportResultsRequest__Output, _millrace_scheduler_v1_ReportResultsResponse__Output>
  Work: MethodDefinition<_millrace_scheduler_v1_WorkRequest, _millrace_scheduler_v1_WorkResponse, _millrace_scheduler_v1_WorkRequest__Output, _millrace_scheduler_v1_WorkResponse__Output>
}
