// Original file: proto/metadata/v1/log.proto

import type * as grpc from '@grpc/grpc-js'
import type { MethodDefinition } from '@grpc/proto-loader'
import type { AppendRequest as _millrace_metadata_v1_AppendRequest, AppendRequest__Output as _millrace_metadata_v1_AppendRequest__Output } from '../../../millrace/metadata/v1/AppendRequest.js';
import type { AppendResponse as _millrace_metadata_v1_AppendResponse, AppendResponse__Output as _millrace_metadata_v1_AppendResponse__Output } from '../../../millrace/metadata/v1/AppendResponse.js';

/**
 * Public listener for workers; lines of a run are taken only from a caller of its project or a service identity.
 */
export interface LogServiceClient extends grpc.Client {
  /**
   * Repeating a batch adds nothing: a line's place is (task, attempt, lease, seq).
   */
  Append(argument: _millrace_metadata_v1_AppendRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_millrace_metadata_v1_AppendResponse__Output>): grpc.ClientUnaryCall;
  Append(argument: _millrace_metadata_v1_AppendRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_millrace_metadata_v1_AppendResponse__Output>): grpc.ClientUnaryCall;
  Append(argument: _millrace_metadata_v1_AppendRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_millrace_metadata_v1_AppendResponse__Output>): grpc.ClientUnaryCall;
  Append(argument: _millrace_metadata_v1_AppendRequest, callback: grpc.requestCallback<_millrace_metadata_v1_AppendResponse__Output>): grpc.ClientUnaryCall;
  /**
   * Repeating a batch adds nothing: a line's place is (task, attempt, lease, seq).
   */
  append(argument: _millrace_metadata_v1_AppendRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_millrace_metadata_v1_AppendResponse__Output>): grpc.ClientUnaryCall;
  append(argument: _millrace_metadata_v1_AppendRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_millrace_metadata_v1_AppendResponse__Output>): grpc.ClientUnaryCall;
  append(argument: _millrace_metadata_v1_AppendRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_millrace_metadata_v1_AppendResponse__Output>): grpc.ClientUnaryCall;
  append(argument: _millrace_metadata_v1_AppendRequest, callback: grpc.requestCallback<_millrace_metadata_v1_AppendResponse__Output>): grpc.ClientUnaryCall;
  
}

/**
 * Public listener for workers; lines of a run are taken only from a caller of its project or a service identity.
 */
export interface LogServiceHandlers extends grpc.UntypedServiceImplementation {
  /**
   * Repeating a batch adds nothing: a line's place is (task, attempt, lease, seq).
   */
  Append: grpc.handleUnaryCall<_millrace_metadata_v1_AppendRequest__Output, _millrace_metadata_v1_AppendResponse>;
  
}

export interface LogServiceDefinition extends grpc.ServiceDefinition {
  Append: MethodDefinition<_millrace_metadata_v1_AppendRequest, _millrace_metadata_v1_AppendResponse, _millrace_metadata_v1_AppendRequest__Output, _millrace_metadata_v1_AppendResponse__Output>
}
