import type * as grpc from '@grpc/grpc-js';
import type { MessageTypeDefinition } from '@grpc/proto-loader';

import type { Failure as _millrace_common_v1_Failure, Failure__Output as _millrace_common_v1_Failure__Output } from './millrace/common/v1/Failure.js';
import type { ParentTask as _millrace_common_v1_ParentTask, ParentTask__Output as _millrace_common_v1_ParentTask__Output } from './millrace/common/v1/ParentTask.js';
import type { RerunSource as _millrace_common_v1_RerunSource, RerunSource__Output as _millrace_common_v1_RerunSource__Output } from './millrace/common/v1/RerunSource.js';
import type { Blocker as _millrace_scheduler_v1_Blocker, Blocker__Output as _millrace_scheduler_v1_Blocker__Output } from './millrace/scheduler/v1/Blocker.js';
import type { Progress as _millrace_scheduler_v1_Progress, Progress__Output as _millrace_scheduler_v1_Progress__Output } from './millrace/scheduler/v1/Progress.js';
import type { Run as _millrace_scheduler_v1_Run, Run__Output as _millrace_scheduler_v1_Run__Output } from './millrace/scheduler/v1/Run.js';
import type { Task as _millrace_scheduler_v1_Task, Task__Output as _millrace_scheduler_v1_Task__Output } from './millrace/scheduler/v1/Task.js';
import type { TaskExplanation as _millrace_scheduler_v1_TaskExplanation, TaskExplanation__Output as _millrace_scheduler_v1_TaskExplanation__Output } from './millrace/scheduler/v1/TaskExplanation.js';
import type { WaitingFor as _millrace_scheduler_v1_WaitingFor, WaitingFor__Output as _millrace_scheduler_v1_WaitingFor__Output } from './millrace/scheduler/v1/WaitingFor.js';

type SubtypeConstructor<Constructor extends new (...args: any) => any, Subtype> = {
  new(...args: ConstructorParameters<Constructor>): Subtype;
};

export interface ProtoGrpcType {
  millrace: {
    common: {
      v1: {
        Failure: MessageTypeDefinition<_millrace_common_v1_Failure, _millrace_common_v1_Failure__Output>
        ParentTask: MessageTypeDefinition<_millrace_common_v1_ParentTask, _millrace_common_v1_ParentTask__Output>
        RerunSource: MessageTypeDefinition<_millrace_common_v1_RerunSource, _millrace_common_v1_RerunSource__Output>
      }
    }
    scheduler: {
      v1: {
        Blocker: MessageTypeDefinition<_millrace_scheduler_v1_Blocker, _millrace_scheduler_v1_Blocker__Output>
        Progress: MessageTypeDefinition<_millrace_scheduler_v1_Progress, _millrace_scheduler_v1_Progress__Output>
        Run: MessageTypeDefinition<_millrace_scheduler_v1_Run, _millrace_scheduler_v1_Run__Output>
        Task: MessageTypeDefinition<_millrace_scheduler_v1_Task, _millrace_scheduler_v1_Task__Output>
        TaskExplanation: MessageTypeDefinition<_millrace_scheduler_v1_TaskExplanation, _millrace_scheduler_v1_TaskExplanation__Output>
        WaitingFor: MessageTypeDefinition<_millrace_scheduler_v1_WaitingFor, _millrace_scheduler_v1_WaitingFor__Output>
      }
    }
  }
}

