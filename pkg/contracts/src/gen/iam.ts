import type * as grpc from '@grpc/grpc-js';
import type { MessageTypeDefinition } from '@grpc/proto-loader';

import type { FindInvalidKeysRequest as _millrace_iam_v1_FindInvalidKeysRequest, FindInvalidKeysRequest__Output as _millrace_iam_v1_FindInvalidKeysRequest__Output } from './millrace/iam/v1/FindInvalidKeysRequest.js';
import type { FindInvalidKeysResponse as _millrace_iam_v1_FindInvalidKeysResponse, FindInvalidKeysResponse__Output as _millrace_iam_v1_FindInvalidKeysResponse__Output } from './millrace/iam/v1/FindInvalidKeysResponse.js';
import type { GetJwksRequest as _millrace_iam_v1_GetJwksRequest, GetJwksRequest__Output as _millrace_iam_v1_GetJwksRequest__Output } from './millrace/iam/v1/GetJwksRequest.js';
import type { GetJwksResponse as _millrace_iam_v1_GetJwksResponse, GetJwksResponse__Output as _millrace_iam_v1_GetJwksResponse__Output } from './millrace/iam/v1/GetJwksResponse.js';
import type { GetSecretsRequest as _millrace_iam_v1_GetSecretsRequest, GetSecretsRequest__Output as _millrace_iam_v1_GetSecretsRequest__Output } from './millrace/iam/v1/GetSecretsRequest.js';
import type { GetSecretsResponse as _millrace_iam_v1_GetSecretsResponse, GetSecretsResponse__Output as _millrace_iam_v1_GetSecretsResponse__Output } from './millrace/iam/v1/GetSecretsResponse.js';
import type { IamServiceClient as _millrace_iam_v1_IamServiceClient, IamServiceDefinition as _millrace_iam_v1_IamServiceDefinition } from './millrace/iam/v1/IamService.js';
import type { Secret as _millrace_iam_v1_Secret, Secret__Output as _millrace_iam_v1_Secret__Output } from './millrace/iam/v1/Secret.js';
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
        GetSecretsRequest: MessageTypeDefinition<_millrace_iam_v1_GetSecretsRequest, _millrace_iam_v1_GetSecretsRequest__Output>
        GetSecretsResponse: MessageTypeDefinition<_millrace_iam_v1_GetSecretsResponse, _millrace_iam_v1_GetSecretsResponse__Output>
        /**
         * Internal listener only; callers present a service identity.
         */
        IamService: SubtypeConstructor<typeof grpc.Client, _millrace_iam_v1_IamServiceClient> & { service: _millrace_iam_v1_IamServiceDefinition }
        Secret: MessageTypeDefinition<_millrace_iam_v1_Secret, _millrace_iam_v1_Secret__Output>
        ValidateTokenRequest: MessageTypeDefinition<_millrace_iam_v1_ValidateTokenRequest, _millrace_iam_v1_ValidateTokenRequest__Output>
        ValidateTokenResponse: MessageTypeDefinition<_millrace_iam_v1_ValidateTokenResponse, _millrace_iam_v1_ValidateTokenResponse__Output>
      }
    }
  }
}

