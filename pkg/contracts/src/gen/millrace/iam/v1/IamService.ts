// Original file: proto/iam/v1/iam.proto

import type * as grpc from '@grpc/grpc-js'
import type { MethodDefinition } from '@grpc/proto-loader'
import type { FindInvalidKeysRequest as _millrace_iam_v1_FindInvalidKeysRequest, FindInvalidKeysRequest__Output as _millrace_iam_v1_FindInvalidKeysRequest__Output } from '../../../millrace/iam/v1/FindInvalidKeysRequest.js';
import type { FindInvalidKeysResponse as _millrace_iam_v1_FindInvalidKeysResponse, FindInvalidKeysResponse__Output as _millrace_iam_v1_FindInvalidKeysResponse__Output } from '../../../millrace/iam/v1/FindInvalidKeysResponse.js';
import type { GetJwksRequest as _millrace_iam_v1_GetJwksRequest, GetJwksRequest__Output as _millrace_iam_v1_GetJwksRequest__Output } from '../../../millrace/iam/v1/GetJwksRequest.js';
import type { GetJwksResponse as _millrace_iam_v1_GetJwksResponse, GetJwksResponse__Output as _millrace_iam_v1_GetJwksResponse__Output } from '../../../millrace/iam/v1/GetJwksResponse.js';
import type { GetSecretsRequest as _millrace_iam_v1_GetSecretsRequest, GetSecretsRequest__Output as _millrace_iam_v1_GetSecretsRequest__Output } from '../../../millrace/iam/v1/GetSecretsRequest.js';
import type { GetSecretsResponse as _millrace_iam_v1_GetSecretsResponse, GetSecretsResponse__Output as _millrace_iam_v1_GetSecretsResponse__Output } from '../../../millrace/iam/v1/GetSecretsResponse.js';
import type { ValidateTokenRequest as _millrace_iam_v1_ValidateTokenRequest, ValidateTokenRequest__Output as _millrace_iam_v1_ValidateTokenRequest__Output } from '../../../millrace/iam/v1/ValidateTokenRequest.js';
import type { ValidateTokenResponse as _millrace_iam_v1_ValidateTokenResponse, ValidateTokenResponse__Output as _millrace_iam_v1_ValidateTokenResponse__Output } from '../../../millrace/iam/v1/ValidateTokenResponse.js';

/**
 * Internal listener only; callers present a service identity.
 */
export interface IamServiceClient extends grpc.Client {
  /**
   * Which of these API keys may no longer be used: revoked, expired or unknown, or their maker is disabled or has left.
   */
  FindInvalidKeys(argument: _millrace_iam_v1_FindInvalidKeysRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_millrace_iam_v1_FindInvalidKeysResponse__Output>): grpc.ClientUnaryCall;
  FindInvalidKeys(argument: _millrace_iam_v1_FindInvalidKeysRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_millrace_iam_v1_FindInvalidKeysResponse__Output>): grpc.ClientUnaryCall;
  FindInvalidKeys(argument: _millrace_iam_v1_FindInvalidKeysRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_millrace_iam_v1_FindInvalidKeysResponse__Output>): grpc.ClientUnaryCall;
  FindInvalidKeys(argument: _millrace_iam_v1_FindInvalidKeysRequest, callback: grpc.requestCallback<_millrace_iam_v1_FindInvalidKeysResponse__Output>): grpc.ClientUnaryCall;
  /**
   * Which of these API keys may no longer be used: revoked, expired or unknown, or their maker is disabled or has left.
   */
  findInvalidKeys(argument: _millrace_iam_v1_FindInvalidKeysRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_millrace_iam_v1_FindInvalidKeysResponse__Output>): grpc.ClientUnaryCall;
  findInvalidKeys(argument: _millrace_iam_v1_FindInvalidKeysRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_millrace_iam_v1_FindInvalidKeysResponse__Output>): grpc.ClientUnaryCall;
  findInvalidKeys(argument: _millrace_iam_v1_FindInvalidKeysRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_millrace_iam_v1_FindInvalidKeysResponse__Output>): grpc.ClientUnaryCall;
  findInvalidKeys(argument: _millrace_iam_v1_FindInvalidKeysRequest, callback: grpc.requestCallback<_millrace_iam_v1_FindInvalidKeysResponse__Output>): grpc.ClientUnaryCall;
  
  /**
   * The public keys that verify access tokens and signed identities.
   */
  GetJwks(argument: _millrace_iam_v1_GetJwksRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_millrace_iam_v1_GetJwksResponse__Output>): grpc.ClientUnaryCall;
  GetJwks(argument: _millrace_iam_v1_GetJwksRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_millrace_iam_v1_GetJwksResponse__Output>): grpc.ClientUnaryCall;
  GetJwks(argument: _millrace_iam_v1_GetJwksRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_millrace_iam_v1_GetJwksResponse__Output>): grpc.ClientUnaryCall;
  GetJwks(argument: _millrace_iam_v1_GetJwksRequest, callback: grpc.requestCallback<_millrace_iam_v1_GetJwksResponse__Output>): grpc.ClientUnaryCall;
  /**
   * The public keys that verify access tokens and signed identities.
   */
  getJwks(argument: _millrace_iam_v1_GetJwksRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_millrace_iam_v1_GetJwksResponse__Output>): grpc.ClientUnaryCall;
  getJwks(argument: _millrace_iam_v1_GetJwksRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_millrace_iam_v1_GetJwksResponse__Output>): grpc.ClientUnaryCall;
  getJwks(argument: _millrace_iam_v1_GetJwksRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_millrace_iam_v1_GetJwksResponse__Output>): grpc.ClientUnaryCall;
  getJwks(argument: _millrace_iam_v1_GetJwksRequest, callback: grpc.requestCallback<_millrace_iam_v1_GetJwksResponse__Output>): grpc.ClientUnaryCall;
  
  /**
   * The values of a project's secrets. Only the scheduler is answered: it puts them into leases.
   */
  GetSecrets(argument: _millrace_iam_v1_GetSecretsRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_millrace_iam_v1_GetSecretsResponse__Output>): grpc.ClientUnaryCall;
  GetSecrets(argument: _millrace_iam_v1_GetSecretsRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_millrace_iam_v1_GetSecretsResponse__Output>): grpc.ClientUnaryCall;
  GetSecrets(argument: _millrace_iam_v1_GetSecretsRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_millrace_iam_v1_GetSecretsResponse__Output>): grpc.ClientUnaryCall;
  GetSecrets(argument: _millrace_iam_v1_GetSecretsRequest, callback: grpc.requestCallback<_millrace_iam_v1_GetSecretsResponse__Output>): grpc.ClientUnaryCall;
  /**
   * The values of a project's secrets. Only the scheduler is answered: it puts them into leases.
   */
  getSecrets(argument: _millrace_iam_v1_GetSecretsRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_millrace_iam_v1_GetSecretsResponse__Output>): grpc.ClientUnaryCall;
  getSecrets(argument: _millrace_iam_v1_GetSecretsRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_millrace_iam_v1_GetSecretsResponse__Output>): grpc.ClientUnaryCall;
  getSecrets(argument: _millrace_iam_v1_GetSecretsRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_millrace_iam_v1_GetSecretsResponse__Output>): grpc.ClientUnaryCall;
  getSecrets(argument: _millrace_iam_v1_GetSecretsRequest, callback: grpc.requestCallback<_millrace_iam_v1_GetSecretsResponse__Output>): grpc.ClientUnaryCall;
  
  /**
   * Says whether a bearer credential (access token or API key) is good now, and for whom.
   */
  ValidateToken(argument: _millrace_iam_v1_ValidateTokenRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_millrace_iam_v1_ValidateTokenResponse__Output>): grpc.ClientUnaryCall;
  ValidateToken(argument: _millrace_iam_v1_ValidateTokenRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_millrace_iam_v1_ValidateTokenResponse__Output>): grpc.ClientUnaryCall;
  ValidateToken(argument: _millrace_iam_v1_ValidateTokenRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_millrace_iam_v1_ValidateTokenResponse__Output>): grpc.ClientUnaryCall;
  ValidateToken(argument: _millrace_iam_v1_ValidateTokenRequest, callback: grpc.requestCallback<_millrace_iam_v1_ValidateTokenResponse__Output>): grpc.ClientUnaryCall;
  /**
   * Says whether a bearer credential (access token or API key) is good now, and for whom.
   */
  validateToken(argument: _millrace_iam_v1_ValidateTokenRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_millrace_iam_v1_ValidateTokenResponse__Output>): grpc.ClientUnaryCall;
  validateToken(argument: _millrace_iam_v1_ValidateTokenRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_millrace_iam_v1_ValidateTokenResponse__Output>): grpc.ClientUnaryCall;
  validateToken(argument: _millrace_iam_v1_ValidateTokenRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_millrace_iam_v1_ValidateTokenResponse__Output>): grpc.ClientUnaryCall;
  validateToken(argument: _millrace_iam_v1_ValidateTokenRequest, callback: grpc.requestCallback<_millrace_iam_v1_ValidateTokenResponse__Output>): grpc.ClientUnaryCall;
  
}

/**
 * Internal listener only; callers present a service identity.
 */
export interface IamServiceHandlers extends grpc.UntypedServiceImplementation {
  /**
   * Which of these API keys may no longer be used: revoked, expired or unknown, or their maker is disabled or has left.
   */
  FindInvalidKeys: grpc.handleUnaryCall<_millrace_iam_v1_FindInvalidKeysRequest__Output, _millrace_iam_v1_FindInvalidKeysResponse>;
  
  /**
   * The public keys that verify access tokens and signed identities.
   */
  GetJwks: grpc.handleUnaryCall<_millrace_iam_v1_GetJwksRequest__Output, _millrace_iam_v1_GetJwksResponse>;
  
  /**
   * The values of a project's secrets. Only the scheduler is answered: it puts them into leases.
   */
  GetSecrets: grpc.handleUnaryCall<_millrace_iam_v1_GetSecretsRequest__Output, _millrace_iam_v1_GetSecretsResponse>;
  
  /**
   * Says whether a bearer credential (access token or API key) is good now, and for whom.
   */
  ValidateToken: grpc.handleUnaryCall<_millrace_iam_v1_ValidateTokenRequest__Output, _millrace_iam_v1_ValidateTokenResponse>;
  
}

export interface IamServiceDefinition extends grpc.ServiceDefinition {
  FindInvalidKeys: MethodDefinition<_millrace_iam_v1_FindInvalidKeysRequest, _millrace_iam_v1_FindInvalidKeysResponse, _millrace_iam_v1_FindInvalidKeysRequest__Output, _millrace_iam_v1_FindInvalidKeysResponse__Output>
  GetJwks: MethodDefinition<_millrace_iam_v1_GetJwksRequest, _millrace_iam_v1_GetJwksResponse, _millrace_iam_v1_GetJwksRequest__Output, _millrace_iam_v1_GetJwksResponse__Output>
  GetSecrets: MethodDefinition<_millrace_iam_v1_GetSecretsRequest, _millrace_iam_v1_GetSecretsResponse, _millrace_iam_v1_GetSecretsRequest__Output, _millrace_iam_v1_GetSecretsResponse__Output>
  ValidateToken: MethodDefinition<_millrace_iam_v1_ValidateTokenRequest, _millrace_iam_v1_ValidateTokenResponse, _millrace_iam_v1_ValidateTokenRequest__Output, _millrace_iam_v1_ValidateTokenResponse__Output>
}
