import type * as grpc from '@grpc/grpc-js';
import type { MessageTypeDefinition } from '@grpc/proto-loader';

import type { Failure as _millrace_common_v1_Failure, Failure__Output as _millrace_common_v1_Failure__Output } from './millrace/common/v1/Failure.js';
import type { ParentTask as _millrace_common_v1_ParentTask, ParentTask__Output as _millrace_common_v1_ParentTask__Output } from './millrace/common/v1/ParentTask.js';
import type { RerunSource as _millrace_common_v1_RerunSource, RerunSource__Output as _millrace_common_v1_RerunSource__Output } from './millrace/common/v1/RerunSource.js';
import type { ApprovalRequested as _millrace_events_v1_ApprovalRequested, ApprovalRequested__Output as _millrace_events_v1_ApprovalRequested__Output } from './millrace/events/v1/ApprovalRequested.js';
import type { ArtifactCreated as _millrace_events_v1_ArtifactCreated, ArtifactCreated__Output as _millrace_events_v1_ArtifactCreated__Output } from './millrace/events/v1/ArtifactCreated.js';
import type { AuditRecorded as _millrace_events_v1_AuditRecorded, AuditRecorded__Output as _millrace_events_v1_AuditRecorded__Output } from './millrace/events/v1/AuditRecorded.js';
import type { NotificationDelivered as _millrace_events_v1_NotificationDelivered, NotificationDelivered__Output as _millrace_events_v1_NotificationDelivered__Output } from './millrace/events/v1/NotificationDelivered.js';
import type { NotificationFailed as _millrace_events_v1_NotificationFailed, NotificationFailed__Output as _millrace_events_v1_NotificationFailed__Output } from './millrace/events/v1/NotificationFailed.js';
import type { ProjectDeleted as _millrace_events_v1_ProjectDeleted, ProjectDeleted__Output as _millrace_events_v1_ProjectDeleted__Output } from './millrace/events/v1/ProjectDeleted.js';
import type { ProjectEmptied as _millrace_events_v1_ProjectEmptied, ProjectEmptied__Output as _millrace_events_v1_ProjectEmptied__Output } from './millrace/events/v1/ProjectEmptied.js';
import type { QueueBacklog as _millrace_events_v1_QueueBacklog, QueueBacklog__Output as _millrace_events_v1_QueueBacklog__Output } from './millrace/events/v1/QueueBacklog.js';
import type { RetentionChanged as _millrace_events_v1_RetentionChanged, RetentionChanged__Output as _millrace_events_v1_RetentionChanged__Output } from './millrace/events/v1/RetentionChanged.js';
import type { RunLate as _millrace_events_v1_RunLate, RunLate__Output as _millrace_events_v1_RunLate__Output } from './millrace/events/v1/RunLate.js';
import type { RunsDeleted as _millrace_events_v1_RunsDeleted, RunsDeleted__Output as _millrace_events_v1_RunsDeleted__Output } from './millrace/events/v1/RunsDeleted.js';
import type { ScheduleMissed as _millrace_events_v1_ScheduleMissed, ScheduleMissed__Output as _millrace_events_v1_ScheduleMissed__Output } from './millrace/events/v1/ScheduleMissed.js';
import type { TaskCompleted as _millrace_events_v1_TaskCompleted, TaskCompleted__Output as _millrace_events_v1_TaskCompleted__Output } from './millrace/events/v1/TaskCompleted.js';
import type { TaskDeadLettered as _millrace_events_v1_TaskDeadLettered, TaskDeadLettered__Output as _millrace_events_v1_TaskDeadLettered__Output } from './millrace/events/v1/TaskDeadLettered.js';
import type { TaskFailed as _millrace_events_v1_TaskFailed, TaskFailed__Output as _millrace_events_v1_TaskFailed__Output } from './millrace/events/v1/TaskFailed.js';
import type { TaskProgress as _millrace_events_v1_TaskProgress, TaskProgress__Output as _millrace_events_v1_TaskProgress__Output } from './millrace/events/v1/TaskProgress.js';
import type { TaskScheduled as _millrace_events_v1_TaskScheduled, TaskScheduled__Output as _millrace_events_v1_TaskScheduled__Output } from './millrace/events/v1/TaskScheduled.js';
import type { TaskUpdated as _millrace_events_v1_TaskUpdated, TaskUpdated__Output as _millrace_events_v1_TaskUpdated__Output } from './millrace/events/v1/TaskUpdated.js';
import type { WorkerLost as _millrace_events_v1_WorkerLost, WorkerLost__Output as _millrace_events_v1_WorkerLost__Output } from './millrace/events/v1/WorkerLost.js';
import type { WorkflowCompleted as _millrace_events_v1_WorkflowCompleted, WorkflowCompleted__Output as _millrace_events_v1_WorkflowCompleted__Output } from './millrace/events/v1/WorkflowCompleted.js';
import type { WorkflowDeleted as _millrace_events_v1_WorkflowDeleted, WorkflowDeleted__Output as _millrace_events_v1_WorkflowDeleted__Output } from './millrace/events/v1/WorkflowDeleted.js';
import type { WorkflowStarted as _millrace_events_v1_WorkflowStarted, WorkflowStarted__Output as _millrace_events_v1_WorkflowStarted__Output } from './millrace/events/v1/WorkflowStarted.js';
import type { WorkflowUpdated as _millrace_events_v1_WorkflowUpdated, WorkflowUpdated__Output as _millrace_events_v1_WorkflowUpdated__Output } from './millrace/events/v1/WorkflowUpdated.js';

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
    events: {
      v1: {
        ApprovalRequested: MessageTypeDefinition<_millrace_events_v1_ApprovalRequested, _millrace_events_v1_ApprovalRequested__Output>
        ArtifactCreated: MessageTypeDefinition<_millrace_events_v1_ArtifactCreated, _millrace_events_v1_ArtifactCreated__Output>
        AuditRecorded: MessageTypeDefinition<_millrace_events_v1_AuditRecorded, _millrace_events_v1_AuditRecorded__Output>
        NotificationDelivered: MessageTypeDefinition<_millrace_events_v1_NotificationDelivered, _millrace_events_v1_NotificationDelivered__Output>
        NotificationFailed: MessageTypeDefinition<_millrace_events_v1_NotificationFailed, _millrace_events_v1_NotificationFailed__Output>
        ProjectDeleted: MessageTypeDefinition<_millrace_events_v1_ProjectDeleted, _millrace_events_v1_ProjectDeleted__Output>
        ProjectEmptied: MessageTypeDefinition<_millrace_events_v1_ProjectEmptied, _millrace_events_v1_ProjectEmptied__Output>
        QueueBacklog: MessageTypeDefinition<_millrace_events_v1_QueueBacklog, _millrace_events_v1_QueueBacklog__Output>
        RetentionChanged: MessageTypeDefinition<_millrace_events_v1_RetentionChanged, _millrace_events_v1_RetentionChanged__Output>
        RunLate: MessageTypeDefinition<_millrace_events_v1_RunLate, _millrace_events_v1_RunLate__Output>
        RunsDeleted: MessageTypeDefinition<_millrace_events_v1_RunsDeleted, _millrace_events_v1_RunsDeleted__Output>
        ScheduleMissed: MessageTypeDefinition<_millrace_events_v1_ScheduleMissed, _millrace_events_v1_ScheduleMissed__Output>
        TaskCompleted: MessageTypeDefinition<_millrace_events_v1_TaskCompleted, _millrace_events_v1_TaskCompleted__Output>
        TaskDeadLettered: MessageTypeDefinition<_millrace_events_v1_TaskDeadLettered, _millrace_events_v1_TaskDeadLettered__Output>
        TaskFailed: MessageTypeDefinition<_millrace_events_v1_TaskFailed, _millrace_events_v1_TaskFailed__Output>
        TaskProgress: MessageTypeDefinition<_millrace_events_v1_TaskProgress, _millrace_events_v1_TaskProgress__Output>
        TaskScheduled: MessageTypeDefinition<_millrace_events_v1_TaskScheduled, _millrace_events_v1_TaskScheduled__Output>
        TaskUpdated: MessageTypeDefinition<_millrace_events_v1_TaskUpdated, _millrace_events_v1_TaskUpdated__Output>
        WorkerLost: MessageTypeDefinition<_millrace_events_v1_WorkerLost, _millrace_events_v1_WorkerLost__Output>
        WorkflowCompleted: MessageTypeDefinition<_millrace_events_v1_WorkflowCompleted, _millrace_events_v1_WorkflowCompleted__Output>
        WorkflowDeleted: MessageTypeDefinition<_millrace_events_v1_WorkflowDeleted, _millrace_events_v1_WorkflowDeleted__Output>
        WorkflowStarted: MessageTypeDefinition<_millrace_events_v1_WorkflowStarted, _millrace_events_v1_WorkflowStarted__Output>
        WorkflowUpdated: MessageTypeDefinition<_millrace_events_v1_WorkflowUpdated, _millrace_events_v1_WorkflowUpdated__Output>
      }
    }
  }
}

