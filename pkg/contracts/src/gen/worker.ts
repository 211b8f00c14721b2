import type * as grpc from '@grpc/grpc-js';
import type { MessageTypeDefinition } from '@grpc/proto-loader';

import type { DrainRequest as _millrace_worker_v1_DrainRequest, DrainRequest__Output as _millrace_worker_v1_DrainRequest__Output } from './millrace/worker/v1/DrainRequest.js';
import type { DrainResponse as _millrace_worker_v1_DrainResponse, DrainResponse__Output as _millrace_worker_v1_DrainResponse__Output } from './millrace/worker/v1/DrainResponse.js';
import type { GetStatusRequest as _millrace_worker_v1_GetStatusRequest, GetStatusRequest__Output as _millrace_worker_v1_GetStatusRequest__Output } from './millrace/worker/v1/GetStatusRequest.js';
import type { GetStatusResponse as _millrace_worker_v1_GetStatusResponse, GetStatusResponse__Output as _millrace_worker_v1_GetStatusResponse__Output } from './millrace/worker/v1/GetStatusResponse.js';
import type { PauseRequest as _millrace_worker_v1_PauseRequest, PauseRequest__Output as _millrace_worker_v1_PauseRequest__Output } from './millrace/worker/v1/PauseRequest.js';
import type { PauseResponse as _millrace_worker_v1_PauseResponse, PauseResponse__Output as _millrace_worker_v1_PauseResponse__Output } from './millrace/worker/v1/PauseResponse.js';
import type { ResumeRequest as _millrace_worker_v1_ResumeRequest, ResumeRequest__Output as _millrace_worker_v1_ResumeRequest__Output } from './millrace/worker/v1/ResumeRequest.js';
import type { ResumeResponse as _millrace_worker_v1_ResumeResponse, ResumeResponse__Output as _millrace_worker_v1_ResumeResponse__Output } from './millrace/worker/v1/ResumeResponse.js';
import type { RunningTask as _millrace_worker_v1_RunningTask, RunningTask__Output as _millrace_worker_v1_RunningTask__Output } from './millrace/worker/v1/RunningTask.js';
import type { WorkerServiceClient as _millrace_worker_v1_WorkerServiceClient, WorkerServiceDefinition as _millrace_worker_v1_WorkerServiceDefinition } from './millrace/worker/v1/WorkerService.js';

type SubtypeConstructor<Constructor extends new (...args: any) => any, Subtype> = {
  new(...args: ConstructorParameters<Constructor>): Subtype;
};

export interface ProtoGrpcType {
  millrace: {
    worker: {
      v1: {
        DrainRequest: MessageTypeDefinition<_millrace_worker_v1_DrainRequest, _millrace_worker_v1_DrainRequest__Output>
        DrainResponse: MessageTypeDefinition<_millrace_worker_v1_DrainResponse, _millrace_worker_v1_DrainResponse__Output>
        GetStatusRequest: MessageTypeDefinition<_millrace_worker_v1_GetStatusRequest, _millrace_worker_v1_GetStatusRequest__Output>
        GetStatusResponse: MessageTypeDefinition<_millrace_worker_v1_GetStatusResponse, _millrace_worker_v1_GetStatusResponse__Output>
        PauseRequest: MessageTypeDefinition<_millrace_worker_v1_PauseRequest, _millrace_worker_v1_PauseRequest__Output>
        PauseResponse: MessageTypeDefinition<_millrace_worker_v1_PauseResponse, _millrace_worker_v1_PauseResponse__Output>
        ResumeRequest: MessageTypeDefinition<_millrace_worker_v1_ResumeRequest, _millrace_worker_v1_ResumeRequest__Output>
        ResumeResponse: MessageTypeDefinition<_millrace_worker_v1_ResumeResponse, _millrace_worker_v1_ResumeResponse__Output>
        RunningTask: MessageTypeDefinition<_millrace_worker_v1_RunningTask, _millrace_worker_v1_RunningTask__Output>
        /**
         * Internal listener only; callers present a service identity.
         */
        WorkerService: SubtypeConstructor<typeof grpc.Client, _millrace_worker_v1_WorkerServiceClient> & { service: _millrace_worker_v1_WorkerServiceDefinition }
      }
    }
  }
}

