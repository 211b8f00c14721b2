import type * as grpc from '@grpc/grpc-js';
import type { MessageTypeDefinition } from '@grpc/proto-loader';

import type { AppendRequest as _millrace_metadata_v1_AppendRequest, AppendRequest__Output as _millrace_metadata_v1_AppendRequest__Output } from './millrace/metadata/v1/AppendRequest.js';
import type { AppendResponse as _millrace_metadata_v1_AppendResponse, AppendResponse__Output as _millrace_metadata_v1_AppendResponse__Output } from './millrace/metadata/v1/AppendResponse.js';
import type { LogLine as _millrace_metadata_v1_LogLine, LogLine__Output as _millrace_metadata_v1_LogLine__Output } from './millrace/metadata/v1/LogLine.js';
import type { LogServiceClient as _millrace_metadata_v1_LogServiceClient, LogServiceDefinition as _millrace_metadata_v1_LogServiceDefinition } from './millrace/metadata/v1/LogService.js';

type SubtypeConstructor<Constructor extends new (...args: any) => any, Subtype> = {
  new(...args: ConstructorParameters<Constructor>): Subtype;
};

export interface ProtoGrpcType {
  millrace: {
    metadata: {
      v1: {
        AppendRequest: MessageTypeDefinition<_millrace_metadata_v1_AppendRequest, _millrace_metadata_v1_AppendRequest__Output>
        AppendResponse: MessageTypeDefinition<_millrace_metadata_v1_AppendResponse, _millrace_metadata_v1_AppendResponse__Output>
        LogLine: MessageTypeDefinition<_millrace_metadata_v1_LogLine, _millrace_metadata_v1_LogLine__Output>
        /**
         * Public listener for workers; lines of a run are taken only from a caller of its project or a service identity.
         */
        LogService: SubtypeConstructor<typeof grpc.Client, _millrace_metadata_v1_LogServiceClient> & { service: _millrace_metadata_v1_LogServiceDefinition }
      }
    }
  }
}

