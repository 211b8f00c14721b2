import type * as grpc from '@grpc/grpc-js';
import type { MessageTypeDefinition } from '@grpc/proto-loader';

import type { FindInvalidKeysRequest as _millrace_iam_v1_FindInvalidKeysRequest, FindInvalidKeysRequest__Output as _millrace_iam_v1_FindInvalidKeysRequest__Output } from './millrace/iam/v1/FindInvalidKeysRequest.js';
import type { FindInvalidKeysResponse as _millrace_iam_v1_FindInvalidKeysResponse, FindInvalidKeysResponse__Output as _millrace_iam_v1_FindInvalidKeysResponse__Output } from './millrace/iam/v1/FindInvalidKeysResponse.js';
import type { GetJwksRequest as _millrace_iam_v1_GetJwksRequest, GetJwksRequest__Output as _millrace_iam_v1_GetJwksRequest__Output } from './millrace/iam/v1/GetJwksRequest.js';
import type { GetJwksResponse as _millrace_iam_v1_GetJwksResponse, GetJwksResponse__Output as _millrace_iam_v1_GetJwksResponse__Output } from './millrace/iam/v1/GetJwksResponse.js';
import type { GetQuotasRequest as _millrace_iam_v1_GetQuotasRequest, GetQuotasRequest__Output as _millrace_iam_v1_GetQuotasRequest__Output } from './millrace/iam/v1/GetQuotasRequest.js';
import type { GetQuotasResponse as _millrace_iam_v1_GetQuotasResponse, GetQuotasResponse__Output as _millrace_iam_v1_GetQuotasResponse__Output } from './millrace/iam/v1/GetQuotasResponse.js';
import type { GetSecretsRequest as _millrace_iam_v1_GetSecretsRequest, GetSecretsRequest__Output as _millrace_iam_v1_GetSecretsRequest__Output } from './millrace/iam/v1/GetSecretsRequest.js';
import type { GetSecretsResponse as _millrace_iam_v1_GetSecretsResponse, GetSecretsResponse__Output as _millrace_iam_v1_GetSecretsResponse__Output } from './millrace/iam/v1/GetSecretsResponse.js';
import type { GetSubjectNamesRequest as _millrace_iam_v1_GetSubjectNamesRequest, GetSubjectNamesRequest__Output as _millrace_iam_v1_GetSubjectNamesRequest__Output } from './millrace/iam/v1/GetSubjectNamesRequest.js';
import type { GetSubjectNamesResponse as _millrace_iam_v1_GetSubjectNamesResponse, GetSubjectNamesResponse__Output as _millrace_iam_v1_GetSubjectNamesResponse__Output } from './millrace/iam/v1/GetSubjectNamesResponse.js';
import type { GetUsageRequest as _millrace_iam_v1_GetUsageRequest, GetUsageRequest__Output as _millrace_iam_v1_GetUsageRequest__Output } from './millrace/iam/v1/GetUsageRequest.js';
import type { GetUsageResponse as _millrace_iam_v1_GetUsageResponse, GetUsageResponse__Output as _millrace_iam_v1_GetUsageResponse__Output } from './millrace/iam/v1/GetUsageResponse.js';
import type { IamServiceClient as _millrace_iam_v1_IamServiceClient, IamServiceDefinition as _millrace_iam_v1_IamServiceDefinition } from './millrace/iam/v1/IamService.js';
import type { KeepStreamsRequest as _millrace_iam_v1_KeepStreamsRequest, KeepStreamsRequest__Output as _millrace_iam_v1_KeepStreamsRequest__Output } from './millrace/iam/v1/KeepStreamsRequest.js';
import type { KeepStreamsResponse as _millrace_iam_v1_KeepStreamsResponse, KeepStreamsResponse__Output as _millrace_iam_v1_KeepStreamsResponse__Output } from './millrace/iam/v1/KeepStreamsResponse.js';
import type { OpenStreamRequest as _millrace_iam_v1_OpenStreamRequest, OpenStreamRequest__Output as _millrace_iam_v1_OpenStreamRequest__Output } from './millrace/iam/v1/OpenStreamRequest.js';
import type { OpenStreamResponse as _millrace_iam_v1_OpenStreamResponse, OpenStreamResponse__Output as _millrace_iam_v1_OpenStreamResponse__Output } from './millrace/iam/v1/OpenStreamResponse.js';
import type { Quotas as _millrace_iam_v1_Quotas, Quotas__Output as _millrace_iam_v1_Quotas__Output } from './millrace/iam/v1/Quotas.js';
import type { ReportStorageRequest as _millrace_iam_v1_ReportStorageRequest, ReportStorageRequest__Output as _millrace_iam_v1_ReportStorageRequest__Output } from './millrace/iam/v1/ReportStorageRequest.js';
import type { ReportStorageResponse as _millrace_iam_v1_ReportStorageResponse, ReportStorageResponse__Output as _millrace_iam_v1_ReportStorageResponse__Output } from './millrace/iam/v1/ReportStorageResponse.js';
import type { Secret as _millrace_iam_v1_Secret, Secret__Output as _millrace_iam_v1_Secret__Output } from './millrace/iam/v1/Secret.js';
import type { StoredBytes as _millrace_iam_v1_StoredBytes, StoredBytes__Output as _millrace_iam_v1_StoredBytes__Output } from './millrace/iam/v1/StoredBytes.js';
import type { Stream as _millrace_iam_v1_Stream, Stream__Output as _millrace_iam_v1_Stream__Output } from './millrace/iam/v1/Stream.js';
import type { UseMailsRequest as _millrace_iam_v1_UseMailsRequest, UseMailsRequest__Output as _millrace_iam_v1_UseMailsRequest__Output } from './millrace/iam/v1/UseMailsRequest.js';
import type { UseMailsResponse as _millrace_iam_v1_UseMailsResponse, UseMailsResponse__Output as _millrace_iam_v1_UseMailsResponse__Output } from './millrace/iam/v1/UseMailsResponse.js';
import type { ValidateTokenRequest as _millrace_iam_v1_ValidateTokenRequest, ValidateTokenRequest__Output as _millrace_iam_v1_ValidateTokenRequest__Output } from './millrace/iam/v1/ValidateTokenRequest.js';
import type { ValidateTokenResponse as _millrace_iam_v1_ValidateTokenResponse, ValidateTokenResponse__Output as _millrace_iam_v1_ValidateTokenResponse__Output } from './millrace/iam/v1/ValidateTokenResponse.js';

type SubtypeConstructor<Constructor extends new (...args: any) => any, Subtype> = {
  new(...args: ConstructorParameters<Constructor>): Subtype;
};

export interface ProtoGrpcType {
  millrace: {
    iam: {
      v1: {
        FindInvalidKeysRequest: MessageTypeDefinition<_millrace_iam_v1_FindInvalidKeysRequest, _millrace_iam_v1_FindInvalidKeysRequest__Output>
        FindInvalidKeysResponse: MessageTypeDefinition<_millrace_iam_v1_FindInvalidKeysResponse, _millrace_iam_v1_FindInvalidKeysResponse__Output>
        GetJwksRequest: MessageTypeDefinition<_millrace_iam_v1_GetJwksRequest, _millrace_iam_v1_GetJwksRequest__Output>
        GetJwksResponse: MessageTypeDefinition<_millrace_iam_v1_GetJwksResponse, _millrace_iam_v1_GetJwksResponse__Output>
        GetQuotasRequest: MessageTypeDefinition<_millrace_iam_v1_GetQuotasRequest, _millrace_iam_v1_GetQuotasRequest__Output>
        GetQuotasResponse: MessageTypeDefinition<_millrace_iam_v1_GetQuotasResponse, _millrace_iam_v1_GetQuotasResponse__Output>
        GetSecretsRequest: MessageTypeDefinition<_millrace_iam_v1_GetSecretsRequest, _millrace_iam_v1_GetSecretsRequest__Output>
        GetSecretsResponse: MessageTypeDefinition<_millrace_iam_v1_GetSecretsResponse, _millrace_iam_v1_GetSecretsResponse__Output>
        GetSubjectNamesRequest: MessageTypeDefinition<_millrace_iam_v1_GetSubjectNamesRequest, _millrace_iam_v1_GetSubjectNamesRequest__Output>
        GetSubjectNamesResponse: MessageTypeDefinition<_millrace_iam_v1_GetSubjectNamesResponse, _millrace_iam_v1_GetSubjectNamesResponse__Output>
        GetUsageRequest: MessageTypeDefinition<_millrace_iam_v1_GetUsageRequest, _millrace_iam_v1_GetUsageRequest__Output>
        GetUsageResponse: MessageTypeDefinition<_millrace_iam_v1_GetUsageResponse, _millrace_iam_v1_GetUsageResponse__Output>
        /**
         * Internal listener only; callers present a service identity.
         */
        IamService: SubtypeConstructor<typeof grpc.Client, _millrace_iam_v1_IamServiceClient> & { service: _millrace_iam_v1_IamServiceDefinition }
        KeepStreamsRequest: MessageTypeDefinition<_millrace_iam_v1_KeepStreamsRequest, _millrace_iam_v1_KeepStreamsRequest__Output>
        KeepStreamsResponse: MessageTypeDefinition<_millrace_iam_v1_KeepStreamsResponse, _millrace_iam_v1_KeepStreamsResponse__Output>
        OpenStreamRequest: MessageTypeDefinition<_millrace_iam_v1_OpenStreamRequest, _millrace_iam_v1_OpenStreamRequest__Output>
        OpenStreamResponse: MessageTypeDefinition<_millrace_iam_v1_OpenStreamResponse, _millrace_iam_v1_OpenStreamResponse__Output>
        Quotas: MessageTypeDefinition<_millrace_iam_v1_Quotas, _millrace_iam_v1_Quotas__Output>
        ReportStorageRequest: MessageTypeDefinition<_millrace_iam_v1_ReportStorageRequest, _millrace_iam_v1_ReportStorageRequest__Output>
        ReportStorageResponse: MessageTypeDefinition<_millrace_iam_v1_ReportStorageResponse, _millrace_iam_v1_ReportStorageResponse__Output>
        Secret: MessageTypeDefinition<_millrace_iam_v1_Secret, _millrace_iam_v1_Secret__Output>
        StoredBytes: MessageTypeDefinition<_millrace_iam_v1_StoredBytes, _millrace_iam_v1_StoredBytes__Output>
        Stream: MessageTypeDefinition<_millrace_iam_v1_Stream, _millrace_iam_v1_Stream__Output>
        UseMailsRequest: MessageTypeDefinition<_millrace_iam_v1_UseMailsRequest, _millrace_iam_v1_UseMailsRequest__Output>
        UseMailsResponse: MessageTypeDefinition<_millrace_iam_v1_UseMailsResponse, _millrace_iam_v1_UseMailsResponse__Output>
        ValidateTokenRequest: MessageTypeDefinition<_millrace_iam_v1_ValidateTokenRequest, _millrace_iam_v1_ValidateTokenRequest__Output>
        ValidateTokenResponse: MessageTypeDefinition<_millrace_iam_v1_ValidateTokenResponse, _millrace_iam_v1_ValidateTokenResponse__Output>
      }
    }
  }
}

