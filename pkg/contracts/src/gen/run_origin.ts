import type * as grpc from '@grpc/grpc-js';
import type { MessageTypeDefinition } from '@grpc/proto-loader';

import type { ParentTask as _millrace_common_v1_ParentTask, ParentTask__Output as _millrace_common_v1_ParentTask__Output } from './millrace/common/v1/ParentTask.js';
import type { RerunSource as _millrace_common_v1_RerunSource, RerunSource__Output as _millrace_common_v1_RerunSource__Output } from './millrace/common/v1/RerunSource.js';

type SubtypeConstructor<Constructor extends new (...args: any) => any, Subtype> = {
  new(...args: ConstructorParameters<Constructor>): Subtype;
};

export interface ProtoGrpcType {
  millrace: {
    common: {
      v1: {
        ParentTask: MessageTypeDefinition<_millrace_common_v1_ParentTask, _millrace_common_v1_ParentTask__Output>
        RerunSource: MessageTypeDefinition<_millrace_common_v1_RerunSource, _millrace_common_v1_RerunSource__Output>
      }
    }
  }
}

