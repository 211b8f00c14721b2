// Original file: proto/iam/v1/iam.proto

import type * as grpc from '@grpc/grpc-js'
import type { MethodDefinition } from '@grpc/proto-loader'
import type { FindInvalidKeysRequest as _millrace_iam_v1_FindInvalidKeysRequest, FindInvalidKeysRequest__Output as _millrace_iam_v1_FindInvalidKeysRequest__Output } from '../../../millrace/iam/v1/FindInvalidKeysRequest.js';
import type { FindInvalidKeysResponse as _millrace_iam_v1_FindInvalidKeysResponse, FindInvalidKeysResponse__Output as _millrace_iam_v1_FindInvalidKeysResponse__Output } from '../../../millrace/iam/v1/FindInvalidKeysResponse.js';
import type { GetJwksRequest as _millrace_iam_v1_GetJwksRequest, GetJwksRequest__Output as _millrace_iam_v1_GetJwksRequest__Output } from '../../../millrace/iam/v1/GetJwksRequest.js';
import type { GetJwksResponse as _millrace_iam_v1_GetJwksResponse, GetJwksResponse__Output as _millrace_iam_v1_GetJwksResponse__Output } from '../../../millrace/iam/v1/GetJwksResponse.js';
import type { GetQuotasRequest as _millrace_iam_v1_GetQuotasRequest, GetQuotasRequest__Output as _millrace_iam_v1_GetQuotasRequest__Output } from '../../../millrace/iam/v1/GetQuotasRequest.js';
import type { GetQuotasResponse as _millrace_iam_v1_GetQuotasResponse, GetQuotasResponse__Output as _millrace_iam_v1_GetQuotasResponse__Output } from '../../../millrace/iam/v1/GetQuotasResponse.js';
import type { GetSecretsRequest as _millrace_iam_v1_GetSecretsRequest, GetSecretsRequest__Output as _millrace_iam_v1_GetSecretsRequest__Output } from '../../../millrace/iam/v1/GetSecretsRequest.js';
import type { GetSecretsResponse as _millrace_iam_v1_GetSecretsResponse, GetSecretsResponse__Output as _millrace_iam_v1_GetSecretsResponse__Output } from '../../../millrace/iam/v1/GetSecretsResponse.js';
import type { GetSubjectNamesRequest as _millrace_iam_v1_GetSubjectNamesRequest, GetSubjectNamesRequest__Output as _millrace_iam_v1_GetSubjectNamesRequest__Output } from '../../../millrace/iam/v1/GetSubjectNamesRequest.js';
import type { GetSubjectNamesResponse as _millrace_iam_v1_GetSubjectNamesResponse, GetSubjectNamesResponse__Output as _millrace_iam_v1_GetSubjectNamesResponse__Output } from '../../../millrace/iam/v1/GetSubjectNamesResponse.js';
import type { GetUsageRequest as _millrace_iam_v1_GetUsageRequest, GetUsageRequest__Output as _millrace_iam_v1_GetUsageRequest__Output } from '../../../millrace/iam/v1/GetUsageRequest.js';
import type { GetUsageResponse as _millrace_iam_v1_GetUsageResponse, GetUsageResponse__Output as _millrace_iam_v1_GetUsageResponse__Output } from '../../../millrace/iam/v1/GetUsageResponse.js';
import type { KeepStreamsRequest as _millrace_iam_v1_KeepStreamsRequest, KeepStreamsRequest__Output as _millrace_iam_v1_KeepStreamsRequest__Output } from '../../../millrace/iam/v1/KeepStreamsRequest.js';
import type { KeepStreamsResponse as _millrace_iam_v1_KeepStreamsResponse, KeepStreamsResponse__Output as _millrace_iam_v1_KeepStreamsResponse__Output } from '../../../millrace/iam/v1/KeepStreamsResponse.js';
import type { OpenStreamRequest as _millrace_iam_v1_OpenStreamRequest, OpenStreamRequest__Output as _millrace_iam_v1_OpenStreamRequest__Output } from '../../../millrace/iam/v1/OpenStreamRequest.js';
import type { OpenStreamResponse as _millrace_iam_v1_OpenStreamResponse, OpenStreamResponse__Output as _millrace_iam_v1_OpenStreamResponse__Output } from '../../../millrace/iam/v1/OpenStreamResponse.js';
import type { ReportStorageRequest as _millrace_iam_v1_ReportStorageRequest, ReportStorageRequest__Output as _millrace_iam_v1_ReportStorageRequest__Output } from '../../../millrace/iam/v1/ReportStorageRequest.js';
import type { ReportStorageResponse as _millrace_iam_v1_ReportStorageResponse, ReportStorageResponse__Output as _millrace_iam_v1_ReportStorageResponse__Output } from '../../../millrace/iam/v1/ReportStorageResponse.js';
import type { UseMailsRequest as _millrace_iam_v1_UseMailsRequest, UseMailsRequest__Output as _millrace_iam_v1_UseMailsRequest__Output } from '../../../millrace/iam/v1/UseMailsRequest.js';
import type { UseMailsResponse as _millrace_iam_v1_UseMailsResponse, UseMailsResponse__Output as _millrace_iam_v1_UseMailsResponse__Output } from '../../../millrace/iam/v1/UseMailsResponse.js';
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
   * What a project may use.
   */
  GetQuotas(argument: _millrace_iam_v1_GetQuotasRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_millrace_iam_v1_GetQuotasResponse__Output>): grpc.ClientUnaryCall;
  GetQuotas(argument: _millrace_iam_v1_GetQuotasRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_millrace_iam_v1_GetQuotasResponse__Output>): grpc.ClientUnaryCall;
  GetQuotas(argument: _millrace_iam_v1_GetQuotasRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_millrace_iam_v1_GetQuotasResponse__Output>): grpc.ClientUnaryCall;
  GetQuotas(argument: _millrace_iam_v1_GetQuotasRequest, callback: grpc.requestCallback<_millrace_iam_v1_GetQuotasResponse__Output>): grpc.ClientUnaryCall;
  /**
   * What a project may use.
   */
  getQuotas(argument: _millrace_iam_v1_GetQuotasRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_millrace_iam_v1_GetQuotasResponse__Output>): grpc.ClientUnaryCall;
  getQuotas(argument: _millrace_iam_v1_GetQuotasRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_millrace_iam_v1_GetQuotasResponse__Output>): grpc.ClientUnaryCall;
  getQuotas(argument: _millrace_iam_v1_GetQuotasRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_millrace_iam_v1_GetQuotasResponse__Output>): grpc.ClientUnaryCall;
  getQuotas(argument: _millrace_iam_v1_GetQuotasRequest, callback: grpc.requestCallback<_millrace_iam_v1_GetQuotasResponse__Output>): grpc.ClientUnaryCall;
  
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
   * What members and keys of a project are called there.
   */
  GetSubjectNames(argument: _millrace_iam_v1_GetSubjectNamesRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_millrace_iam_v1_GetSubjectNamesResponse__Output>): grpc.ClientUnaryCall;
  GetSubjectNames(argument: _millrace_iam_v1_GetSubjectNamesRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_millrace_iam_v1_GetSubjectNamesResponse__Output>): grpc.ClientUnaryCall;
  GetSubjectNames(argument: _millrace_iam_v1_GetSubjectNamesRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_millrace_iam_v1_GetSubjectNamesResponse__Output>): grpc.ClientUnaryCall;
  GetSubjectNames(argument: _millrace_iam_v1_GetSubjectNamesRequest, callback: grpc.requestCallback<_millrace_iam_v1_GetSubjectNamesResponse__Output>): grpc.ClientUnaryCall;
  /**
   * What members and keys of a project are called there.
   */
  getSubjectNames(argument: _millrace_iam_v1_GetSubjectNamesRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_millrace_iam_v1_GetSubjectNamesResponse__Output>): grpc.ClientUnaryCall;
  getSubjectNames(argument: _millrace_iam_v1_GetSubjectNamesRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_millrace_iam_v1_GetSubjectNamesResponse__Output>): grpc.ClientUnaryCall;
  getSubjectNames(argument: _millrace_iam_v1_GetSubjectNamesRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_millrace_iam_v1_GetSubjectNamesResponse__Output>): grpc.ClientUnaryCall;
  getSubjectNames(argument: _millrace_iam_v1_GetSubjectNamesRequest, callback: grpc.requestCallback<_millrace_iam_v1_GetSubjectNamesResponse__Output>): grpc.ClientUnaryCall;
  
  /**
   * What a project uses of the things that iam counts, with its quotas.
   */
  GetUsage(argument: _millrace_iam_v1_GetUsageRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_millrace_iam_v1_GetUsageResponse__Output>): grpc.ClientUnaryCall;
  GetUsage(argument: _millrace_iam_v1_GetUsageRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_millrace_iam_v1_GetUsageResponse__Output>): grpc.ClientUnaryCall;
  GetUsage(argument: _millrace_iam_v1_GetUsageRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_millrace_iam_v1_GetUsageResponse__Output>): grpc.ClientUnaryCall;
  GetUsage(argument: _millrace_iam_v1_GetUsageRequest, callback: grpc.requestCallback<_millrace_iam_v1_GetUsageResponse__Output>): grpc.ClientUnaryCall;
  /**
   * What a project uses of the things that iam counts, with its quotas.
   */
  getUsage(argument: _millrace_iam_v1_GetUsageRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_millrace_iam_v1_GetUsageResponse__Output>): grpc.ClientUnaryCall;
  getUsage(argument: _millrace_iam_v1_GetUsageRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_millrace_iam_v1_GetUsageResponse__Output>): grpc.ClientUnaryCall;
  getUsage(argument: _millrace_iam_v1_GetUsageRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_millrace_iam_v1_GetUsageResponse__Output>): grpc.ClientUnaryCall;
  getUsage(argument: _millrace_iam_v1_GetUsageRequest, callback: grpc.requestCallback<_millrace_iam_v1_GetUsageResponse__Output>): grpc.ClientUnaryCall;
  
  /**
   * Keeps streams counted that are still open, and stops counting those that ended.
   */
  KeepStreams(argument: _millrace_iam_v1_KeepStreamsRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_millrace_iam_v1_KeepStreamsResponse__Output>): grpc.ClientUnaryCall;
  KeepStreams(argument: _millrace_iam_v1_KeepStreamsRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_millrace_iam_v1_KeepStreamsResponse__Output>): grpc.ClientUnaryCall;
  KeepStreams(argument: _millrace_iam_v1_KeepStreamsRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_millrace_iam_v1_KeepStreamsResponse__Output>): grpc.ClientUnaryCall;
  KeepStreams(argument: _millrace_iam_v1_KeepStreamsRequest, callback: grpc.requestCallback<_millrace_iam_v1_KeepStreamsResponse__Output>): grpc.ClientUnaryCall;
  /**
   * Keeps streams counted that are still open, and stops counting those that ended.
   */
  keepStreams(argument: _millrace_iam_v1_KeepStreamsRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_millrace_iam_v1_KeepStreamsResponse__Output>): grpc.ClientUnaryCall;
  keepStreams(argument: _millrace_iam_v1_KeepStreamsRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_millrace_iam_v1_KeepStreamsResponse__Output>): grpc.ClientUnaryCall;
  keepStreams(argument: _millrace_iam_v1_KeepStreamsRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_millrace_iam_v1_KeepStreamsResponse__Output>): grpc.ClientUnaryCall;
  keepStreams(argument: _millrace_iam_v1_KeepStreamsRequest, callback: grpc.requestCallback<_millrace_iam_v1_KeepStreamsResponse__Output>): grpc.ClientUnaryCall;
  
  /**
   * Counts one more live stream of a project, unless it has as many as it may.
   */
  OpenStream(argument: _millrace_iam_v1_OpenStreamRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_millrace_iam_v1_OpenStreamResponse__Output>): grpc.ClientUnaryCall;
  OpenStream(argument: _millrace_iam_v1_OpenStreamRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_millrace_iam_v1_OpenStreamResponse__Output>): grpc.ClientUnaryCall;
  OpenStream(argument: _millrace_iam_v1_OpenStreamRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_millrace_iam_v1_OpenStreamResponse__Output>): grpc.ClientUnaryCall;
  OpenStream(argument: _millrace_iam_v1_OpenStreamRequest, callback: grpc.requestCallback<_millrace_iam_v1_OpenStreamResponse__Output>): grpc.ClientUnaryCall;
  /**
   * Counts one more live stream of a project, unless it has as many as it may.
   */
  openStream(argument: _millrace_iam_v1_OpenStreamRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_millrace_iam_v1_OpenStreamResponse__Output>): grpc.ClientUnaryCall;
  openStream(argument: _millrace_iam_v1_OpenStreamRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_millrace_iam_v1_OpenStreamResponse__Output>): grpc.ClientUnaryCall;
  openStream(argument: _millrace_iam_v1_OpenStreamRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_millrace_iam_v1_OpenStreamResponse__Output>): grpc.ClientUnaryCall;
  openStream(argument: _millrace_iam_v1_OpenStreamRequest, callback: grpc.requestCallback<_millrace_iam_v1_OpenStreamResponse__Output>): grpc.ClientUnaryCall;
  
  /**
   * How much projects store; from the artifact service.
   */
  ReportStorage(argument: _millrace_iam_v1_ReportStorageRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_millrace_iam_v1_ReportStorageResponse__Output>): grpc.ClientUnaryCall;
  ReportStorage(argument: _millrace_iam_v1_ReportStorageRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_millrace_iam_v1_ReportStorageResponse__Output>): grpc.ClientUnaryCall;
  ReportStorage(argument: _millrace_iam_v1_ReportStorageRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_millrace_iam_v1_ReportStorageResponse__Output>): grpc.ClientUnaryCall;
  ReportStorage(argument: _millrace_iam_v1_ReportStorageRequest, callback: grpc.requestCallback<_millrace_iam_v1_ReportStorageResponse__Output>): grpc.ClientUnaryCall;
  /**
   * How much projects store; from the artifact service.
   */
  reportStorage(argument: _millrace_iam_v1_ReportStorageRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_millrace_iam_v1_ReportStorageResponse__Output>): grpc.ClientUnaryCall;
  reportStorage(argument: _millrace_iam_v1_ReportStorageRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_millrace_iam_v1_ReportStorageResponse__Output>): grpc.ClientUnaryCall;
  reportStorage(argument: _millrace_iam_v1_ReportStorageRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_millrace_iam_v1_ReportStorageResponse__Output>): grpc.ClientUnaryCall;
  reportStorage(argument: _millrace_iam_v1_ReportStorageRequest, callback: grpc.requestCallback<_millrace_iam_v1_ReportStorageResponse__Output>): grpc.ClientUnaryCall;
  
  /**
   * Takes from (or, with a negative number, gives back to) what the project may mail today.
   */
  UseMails(argument: _millrace_iam_v1_UseMailsRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_millrace_iam_v1_UseMailsResponse__Output>): grpc.ClientUnaryCall;
  UseMails(argument: _millrace_iam_v1_UseMailsRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_millrace_iam_v1_UseMailsResponse__Output>): grpc.ClientUnaryCall;
  UseMails(argument: _millrace_iam_v1_UseMailsRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_millrace_iam_v1_UseMailsResponse__Output>): grpc.ClientUnaryCall;
  UseMails(argument: _millrace_iam_v1_UseMailsRequest, callback: grpc.requestCallback<_millrace_iam_v1_UseMailsResponse__Output>): grpc.ClientUnaryCall;
  /**
   * Takes from (or, with a negative number, gives back to) what the project may mail today.
   */
  useMails(argument: _millrace_iam_v1_UseMailsRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_millrace_iam_v1_UseMailsResponse__Output>): grpc.ClientUnaryCall;
  useMails(argument: _millrace_iam_v1_UseMailsRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_millrace_iam_v1_UseMailsResponse__Output>): grpc.ClientUnaryCall;
  useMails(argument: _millrace_iam_v1_UseMailsRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_millrace_iam_v1_UseMailsResponse__Output>): grpc.ClientUnaryCall;
  useMails(argument: _millrace_iam_v1_UseMailsRequest, callback: grpc.requestCallback<_millrace_iam_v1_UseMailsResponse__Output>): grpc.ClientUnaryCall;
  
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
   * What a project may use.
   */
  GetQuotas: grpc.handleUnaryCall<_millrace_iam_v1_GetQuotasRequest__Output, _millrace_iam_v1_GetQuotasResponse>;
  
  /**
   * The values of a project's secrets. Only the scheduler is answered: it puts them into leases.
   */
  GetSecrets: grpc.handleUnaryCall<_millrace_iam_v1_GetSecretsRequest__Output, _millrace_iam_v1_GetSecretsResponse>;
  
  /**
   * What members and keys of a project are called there.
   */
  GetSubjectNames: grpc.handleUnaryCall<_millrace_iam_v1_GetSubjectNamesRequest__Output, _millrace_iam_v1_GetSubjectNamesResponse>;
  
  /**
   * What a project uses of the things that iam counts, with its quotas.
   */
  GetUsage: grpc.handleUnaryCall<_millrace_iam_v1_GetUsageRequest__Output, _millrace_iam_v1_GetUsageResponse>;
  
  /**
   * Keeps streams counted that are still open, and stops counting those that ended.
   */
  KeepStreams: grpc.handleUnaryCall<_millrace_iam_v1_KeepStreamsRequest__Output, _millrace_iam_v1_KeepStreamsResponse>;
  
  /**
   * Counts one more live stream of a project, unless it has as many as it may.
   */
  OpenStream: grpc.handleUnaryCall<_millrace_iam_v1_OpenStreamRequest__Output, _millrace_iam_v1_OpenStreamResponse>;
  
  /**
   * How much projects store; from the artifact service.
   */
  ReportStorage: grpc.handleUnaryCall<_millrace_iam_v1_ReportStorageRequest__Output, _millrace_iam_v1_ReportStorageResponse>;
  
  /**
   * Takes from (or, with a negative number, gives back to) what the project may mail today.
   */
  UseMails: grpc.handleUnaryCall<_millrace_iam_v1_UseMailsRequest__Output, _millrace_iam_v1_UseMailsResponse>;
  
  /**
   * Says whether a bearer credential (access token or API key) is good now, and for whom.
   */
  ValidateToken: grpc.handleUnaryCall<_millrace_iam_v1_ValidateTokenRequest__Output, _millrace_iam_v1_ValidateTokenResponse>;
  
}

export interface IamServiceDefinition extends grpc.ServiceDefinition {
  FindInvalidKeys: MethodDefinition<_millrace_iam_v1_FindInvalidKeysRequest, _millrace_iam_v1_FindInvalidKeysResponse, _millrace_iam_v1_FindInvalidKeysRequest__Output, _millrace_iam_v1_FindInvalidKeysResponse__Output>
  GetJwks: MethodDefinition<_millrace_iam_v1_GetJwksRequest, _millrace_iam_v1_GetJwksResponse, _millrace_iam_v1_GetJwksRequest__Output, _millrace_iam_v1_GetJwksResponse__Output>
  GetQuotas: MethodDefinition<_millrace_iam_v1_GetQuotasRequest, _millrace_iam_v1_GetQuotasResponse, _millrace_iam_v1_GetQuotasRequest__Output, _millrace_iam_v1_GetQuotasResponse__Output>
  GetSecrets: MethodDefinition<_millrace_iam_v1_GetSecretsRequest, _millrace_iam_v1_GetSecretsResponse, _millrace_iam_v1_GetSecretsRequest__Output, _millrace_iam_v1_GetSecretsResponse__Output>
  GetSubjectNames: MethodDefinition<_millrace_iam_v1_GetSubjectNamesRequest, _millrace_iam_v1_GetSubjectNamesResponse, _millrace_iam_v1_GetSubjectNamesRequest__Output, _millrace_iam_v1_GetSubjectNamesResponse__Output>
  GetUsage: MethodDefinition<_millrace_iam_v1_GetUsageRequest, _millrace_iam_v1_GetUsageResponse, _millrace_iam_v1_GetUsageRequest__Output, _millrace_iam_v1_GetUsageResponse__Output>
  KeepStreams: MethodDefinition<_millrace_iam_v1_KeepStreamsRequest, _millrace_iam_v1_KeepStreamsResponse, _millrace_iam_v1_KeepStreamsRequest__Output, _millrace_iam_v1_KeepStreamsResponse__Output>
  OpenStream: MethodDefinition<_millrace_iam_v1_OpenStreamRequest, _millrace_iam_v1_OpenStreamResponse, _millrace_iam_v1_OpenStreamRequest__Output, _millrace_iam_v1_OpenStreamResponse__Output>
  ReportStorage: MethodDefinition<_millrace_iam_v1_ReportStorageRequest, _millrace_iam_v1_ReportStorageResponse, _millrace_iam_v1_ReportStorageRequest__Output, _millrace_iam_v1_ReportStorageResponse__Output>
  UseMails: MethodDefinition<_millrace_iam_v1_UseMailsRequest, _millrace_iam_v1_UseMailsResponse, _millrace_iam_v1_UseMailsRequest__Output, _millrace_iam_v1_UseMailsResponse__Output>
  ValidateToken: MethodDefinition<_millrace_iam_v1_ValidateTokenRequest, _millrace_iam_v1_ValidateTokenResponse, _millrace_iam_v1_ValidateTokenRequest__Output, _millrace_iam_v1_ValidateTokenResponse__Output>
}
