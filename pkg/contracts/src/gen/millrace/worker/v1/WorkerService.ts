// Original file: proto/worker/v1/worker.proto

import type * as grpc from '@grpc/grpc-js'
import type { MethodDefinition } from '@grpc/proto-loader'
import type { DrainRequest as _millrace_worker_v1_DrainRequest, DrainRequest__Output as _millrace_worker_v1_DrainRequest__Output } from '../../../millrace/worker/v1/DrainRequest.js';
import type { DrainResponse as _millrace_worker_v1_DrainResponse, DrainResponse__Output as _millrace_worker_v1_DrainResponse__Output } from '../../../millrace/worker/v1/DrainResponse.js';
import type { GetStatusRequest as _millrace_worker_v1_GetStatusRequest, GetStatusRequest__Output as _millrace_worker_v1_GetStatusRequest__Output } from '../../../millrace/worker/v1/GetStatusRequest.js';
import type { GetStatusResponse as _millrace_worker_v1_GetStatusResponse, GetStatusResponse__Output as _millrace_worker_v1_GetStatusResponse__Output } from '../../../millrace/worker/v1/GetStatusResponse.js';
import type { PauseRequest as _millrace_worker_v1_PauseRequest, PauseRequest__Output as _millrace_worker_v1_PauseRequest__Output } from '../../../millrace/worker/v1/PauseRequest.js';
import type { PauseResponse as _millrace_worker_v1_PauseResponse, PauseResponse__Output as _millrace_worker_v1_PauseResponse__Output } from '../../../millrace/worker/v1/PauseResponse.js';
import type { ResumeRequest as _millrace_worker_v1_ResumeRequest, ResumeRequest__Output as _millrace_worker_v1_ResumeRequest__Output } from '../../../millrace/worker/v1/ResumeRequest.js';
import type { ResumeResponse as _millrace_worker_v1_ResumeResponse, ResumeResponse__Output as _millrace_worker_v1_ResumeResponse__Output } from '../../../millrace/worker/v1/ResumeResponse.js';

/**
 * Internal listener only; callers present a service identity.
 */
export interface WorkerServiceClient extends grpc.Client {
  /**
   * Finish what runs, take nothing new, then answer.
   */
  Drain(argument: _millrace_worker_v1_DrainRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_millrace_worker_v1_DrainResponse__Output>): grpc.ClientUnaryCall;
  Drain(argument: _millrace_worker_v1_DrainRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_millrace_worker_v1_DrainResponse__Output>): grpc.ClientUnaryCall;
  Drain(argument: _millrace_worker_v1_DrainRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_millrace_worker_v1_DrainResponse__Output>): grpc.ClientUnaryCall;
  Drain(argument: _millrace_worker_v1_DrainRequest, callback: grpc.requestCallback<_millrace_worker_v1_DrainResponse__Output>): grpc.ClientUnaryCall;
  /**
   * Finish what runs, take nothing new, then answer.
   */
  drain(argument: _millrace_worker_v1_DrainRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_millrace_worker_v1_DrainResponse__Output>): grpc.ClientUnaryCall;
  drain(argument: _millrace_worker_v1_DrainRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_millrace_worker_v1_DrainResponse__Output>): grpc.ClientUnaryCall;
  drain(argument: _millrace_worker_v1_DrainRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_millrace_worker_v1_DrainResponse__Output>): grpc.ClientUnaryCall;
  drain(argument: _millrace_worker_v1_DrainRequest, callback: grpc.requestCallback<_millrace_worker_v1_DrainResponse__Output>): grpc.ClientUnaryCall;
  
  GetStatus(argument: _millrace_worker_v1_GetStatusRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_millrace_worker_v1_GetStatusResponse__Output>): grpc.ClientUnaryCall;
  GetStatus(argument: _millrace_worker_v1_GetStatusRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_millrace_worker_v1_GetStatusResponse__Output>): grpc.ClientUnaryCall;
  GetStatus(argument: _millrace_worker_v1_GetStatusRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_millrace_worker_v1_GetStatusResponse__Output>): grpc.ClientUnaryCall;
  GetStatus(argument: _millrace_worker_v1_GetStatusRequest, callback: grpc.requestCallback<_millrace_worker_v1_GetStatusResponse__Output>): grpc.ClientUnaryCall;
  getStatus(argument: _millrace_worker_v1_GetStatusRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_millrace_worker_v1_GetStatusResponse__Output>): grpc.ClientUnaryCall;
  getStatus(argument: _millrace_worker_v1_GetStatusRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_millrace_worker_v1_GetStatusResponse__Output>): grpc.ClientUnaryCall;
  getStatus(argument: _millrace_worker_v1_GetStatusRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_millrace_worker_v1_GetStatusResponse__Output>): grpc.ClientUnaryCall;
  getStatus(argument: _millrace_worker_v1_GetStatusRequest, callback: grpc.requestCallback<_millrace_worker_v1_GetStatusResponse__Output>): grpc.ClientUnaryCall;
  
  /**
   * Stop taking new tasks; what runs goes on.
   */
  Pause(argument: _millrace_worker_v1_PauseRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_millrace_worker_v1_PauseResponse__Output>): grpc.ClientUnaryCall;
  Pause(argument: _millrace_worker_v1_PauseRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_millrace_worker_v1_PauseResponse__Output>): grpc.ClientUnaryCall;
  Pause(argument: _millrace_worker_v1_PauseRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_millrace_worker_v1_PauseResponse__Output>): grpc.ClientUnaryCall;
  Pause(argument: _millrace_worker_v1_PauseRequest, callback: grpc.requestCallback<_millrace_worker_v1_PauseResponse__Output>): grpc.ClientUnaryCall;
  /**
   * Stop taking new tasks; what runs goes on.
   */
  pause(argument: _millrace_worker_v1_PauseRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_millrace_worker_v1_PauseResponse__Output>): grpc.ClientUnaryCall;
  pause(argument: _millrace_worker_v1_PauseRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_millrace_worker_v1_PauseResponse__Output>): grpc.ClientUnaryCall;
  pause(argument: _millrace_worker_v1_PauseRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_millrace_worker_v1_PauseResponse__Output>): grpc.ClientUnaryCall;
  pause(argument: _millrace_worker_v1_PauseRequest, callback: grpc.requestCallback<_millrace_worker_v1_PauseResponse__Output>): grpc.ClientUnaryCall;
  
  Resume(argument: _millrace_worker_v1_ResumeRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_millrace_worker_v1_ResumeResponse__Output>): grpc.ClientUnaryCall;
  Resume(argument: _millrace_worker_v1_ResumeRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_millrace_worker_v1_ResumeResponse__Output>): grpc.ClientUnaryCall;
  Resume(argument: _millrace_worker_v1_ResumeRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_millrace_worker_v1_ResumeResponse__Output>): grpc.ClientUnaryCall;
  Resume(argument: _millrace_worker_v1_ResumeRequest, callback: grpc.requestCallback<_millrace_worker_v1_ResumeResponse__Output>): grpc.ClientUnaryCall;
  resume(argument: _millrace_worker_v1_ResumeRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_millrace_worker_v1_ResumeResponse__Output>): grpc.ClientUnaryCall;
  resume(argument: _millrace_worker_v1_ResumeRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_millrace_worker_v1_ResumeResponse__Output>): grpc.ClientUnaryCall;
  resume(argument: _millrace_worker_v1_ResumeRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_millrace_worker_v1_ResumeResponse__Output>): grpc.ClientUnaryCall;
  resume(argument: _millrace_worker_v1_ResumeRequest, callback: grpc.requestCallback<_millrace_worker_v1_ResumeResponse__Output>): grpc.ClientUnaryCall;
  
}

/**
 * Internal listener only; callers present a service identity.
 */
export interface WorkerServiceHandlers extends grpc.UntypedServiceImplementation {
  /**
   * Finish what runs, take nothing new, then answer.
   */
  Drain: grpc.handleUnaryCall<_millrace_worker_v1_DrainRequest__Output, _millrace_worker_v1_DrainResponse>;
  
  GetStatus: grpc.handleUnaryCall<_millrace_worker_v1_GetStatusRequest__Output, _millrace_worker_v1_GetStatusResponse>;
  
  /**
   * Stop taking new tasks; what runs goes on.
   */
  Pause: grpc.handleUnaryCall<_millrace_worker_v1_PauseRequest__Output, _millrace_worker_v1_PauseResponse>;
  
  Resume: grpc.handleUnaryCall<_millrace_worker_v1_ResumeRequest__Output, _millrace_worker_v1_ResumeResponse>;
  
}

export interface WorkerServiceDefinition extends grpc.ServiceDefinition {
  Drain: MethodDefinition<_millrace_worker_v1_DrainRequest, _millrace_worker_v1_DrainResponse, _millrace_worker_v1_DrainRequest__Output, _millrace_worker_v1_DrainResponse__Output>
  GetStatus: MethodDefinition<_millrace_worker_v1_GetStatusRequest, _millrace_worker_v1_GetStatusResponse, _millrace_worker_v1_GetStatusRequest__Output, _millrace_worker_v1_GetStatusResponse__Output>
  Pause: MethodDefinition<_millrace_worker_v1_PauseRequest, _millrace_worker_v1_PauseResponse, _millrace_worker_v1_PauseRequest__Output, _millrace_worker_v1_PauseResponse__Output>
  Resume: MethodDefinition<_millrace_worker_v1_ResumeRequest, _millrace_worker_v1_ResumeResponse, _millrace_worker_v1_ResumeRequest__Output, _millrace_worker_v1_ResumeResponse__Output>
}
