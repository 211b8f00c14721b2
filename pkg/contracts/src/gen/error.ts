import type * as grpc from '@grpc/grpc-js';
import type { MessageTypeDefinition } from '@grpc/proto-loader';

import type { Failure as _millrace_common_v1_Failure, Failure__Output as _millrace_common_v1_Failure__Output } from './millrace/common/v1/Failure.js';

type SubtypeConstructor<Constructor extends new (...args: any) => any, Subtype> = {
  new(...args: ConstructorParameters<Constructor>): Subtype;
};

export interface ProtoGrpcType {
  millrace: {
    common: {
      v1: {
        Failure: MessageTypeDefinition<_millrace_common_v1_Failure, _millrace_common_v1_Failure__Output>
      }
    }
  }
}

