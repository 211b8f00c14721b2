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
import type { Activity as _millrace_scheduler_v1_Activity, Activity__Output as _millrace_scheduler_v1_Activity__Output } from './millrace/scheduler/v1/Activity.js';
import type { Approval as _millrace_scheduler_v1_Approval, Approval__Output as _millrace_scheduler_v1_Approval__Output } from './millrace/scheduler/v1/Approval.js';
import type { AttemptFailure as _millrace_scheduler_v1_AttemptFailure, AttemptFailure__Output as _millrace_scheduler_v1_AttemptFailure__Output } from './millrace/scheduler/v1/AttemptFailure.js';
import type { Blocker as _millrace_scheduler_v1_Blocker, Blocker__Output as _millrace_scheduler_v1_Blocker__Output } from './millrace/scheduler/v1/Blocker.js';
import type { CancelRunRequest as _millrace_scheduler_v1_CancelRunRequest, CancelRunRequest__Output as _millrace_scheduler_v1_CancelRunRequest__Output } from './millrace/scheduler/v1/CancelRunRequest.js';
import type { CancelRunResponse as _millrace_scheduler_v1_CancelRunResponse, CancelRunResponse__Output as _millrace_scheduler_v1_CancelRunResponse__Output } from './millrace/scheduler/v1/CancelRunResponse.js';
import type { CountRunsRequest as _millrace_scheduler_v1_CountRunsRequest, CountRunsRequest__Output as _millrace_scheduler_v1_CountRunsRequest__Output } from './millrace/scheduler/v1/CountRunsRequest.js';
import type { CountRunsResponse as _millrace_scheduler_v1_CountRunsResponse, CountRunsResponse__Output as _millrace_scheduler_v1_CountRunsResponse__Output } from './millrace/scheduler/v1/CountRunsResponse.js';
import type { DeadLetter as _millrace_scheduler_v1_DeadLetter, DeadLetter__Output as _millrace_scheduler_v1_DeadLetter__Output } from './millrace/scheduler/v1/DeadLetter.js';
import type { DecideApprovalRequest as _millrace_scheduler_v1_DecideApprovalRequest, DecideApprovalRequest__Output as _millrace_scheduler_v1_DecideApprovalRequest__Output } from './millrace/scheduler/v1/DecideApprovalRequest.js';
import type { DecideApprovalResponse as _millrace_scheduler_v1_DecideApprovalResponse, DecideApprovalResponse__Output as _millrace_scheduler_v1_DecideApprovalResponse__Output } from './millrace/scheduler/v1/DecideApprovalResponse.js';
import type { DeleteDeadLetterRequest as _millrace_scheduler_v1_DeleteDeadLetterRequest, DeleteDeadLetterRequest__Output as _millrace_scheduler_v1_DeleteDeadLetterRequest__Output } from './millrace/scheduler/v1/DeleteDeadLetterRequest.js';
import type { DeleteDeadLetterResponse as _millrace_scheduler_v1_DeleteDeadLetterResponse, DeleteDeadLetterResponse__Output as _millrace_scheduler_v1_DeleteDeadLetterResponse__Output } from './millrace/scheduler/v1/DeleteDeadLetterResponse.js';
import type { DeleteRunsRequest as _millrace_scheduler_v1_DeleteRunsRequest, DeleteRunsRequest__Output as _millrace_scheduler_v1_DeleteRunsRequest__Output } from './millrace/scheduler/v1/DeleteRunsRequest.js';
import type { DeleteRunsResponse as _millrace_scheduler_v1_DeleteRunsResponse, DeleteRunsResponse__Output as _millrace_scheduler_v1_DeleteRunsResponse__Output } from './millrace/scheduler/v1/DeleteRunsResponse.js';
import type { EndedRun as _millrace_scheduler_v1_EndedRun, EndedRun__Output as _millrace_scheduler_v1_EndedRun__Output } from './millrace/scheduler/v1/EndedRun.js';
import type { ExplainRunRequest as _millrace_scheduler_v1_ExplainRunRequest, ExplainRunRequest__Output as _millrace_scheduler_v1_ExplainRunRequest__Output } from './millrace/scheduler/v1/ExplainRunRequest.js';
import type { ExplainRunResponse as _millrace_scheduler_v1_ExplainRunResponse, ExplainRunResponse__Output as _millrace_scheduler_v1_ExplainRunResponse__Output } from './millrace/scheduler/v1/ExplainRunResponse.js';
import type { FindOutputUsersRequest as _millrace_scheduler_v1_FindOutputUsersRequest, FindOutputUsersRequest__Output as _millrace_scheduler_v1_FindOutputUsersRequest__Output } from './millrace/scheduler/v1/FindOutputUsersRequest.js';
import type { FindOutputUsersResponse as _millrace_scheduler_v1_FindOutputUsersResponse, FindOutputUsersResponse__Output as _millrace_scheduler_v1_FindOutputUsersResponse__Output } from './millrace/scheduler/v1/FindOutputUsersResponse.js';
import type { GetDeadLetterRequest as _millrace_scheduler_v1_GetDeadLetterRequest, GetDeadLetterRequest__Output as _millrace_scheduler_v1_GetDeadLetterRequest__Output } from './millrace/scheduler/v1/GetDeadLetterRequest.js';
import type { GetDeadLetterResponse as _millrace_scheduler_v1_GetDeadLetterResponse, GetDeadLetterResponse__Output as _millrace_scheduler_v1_GetDeadLetterResponse__Output } from './millrace/scheduler/v1/GetDeadLetterResponse.js';
import type { GetLineageRequest as _millrace_scheduler_v1_GetLineageRequest, GetLineageRequest__Output as _millrace_scheduler_v1_GetLineageRequest__Output } from './millrace/scheduler/v1/GetLineageRequest.js';
import type { GetLineageResponse as _millrace_scheduler_v1_GetLineageResponse, GetLineageResponse__Output as _millrace_scheduler_v1_GetLineageResponse__Output } from './millrace/scheduler/v1/GetLineageResponse.js';
import type { GetRunRequest as _millrace_scheduler_v1_GetRunRequest, GetRunRequest__Output as _millrace_scheduler_v1_GetRunRequest__Output } from './millrace/scheduler/v1/GetRunRequest.js';
import type { GetRunResponse as _millrace_scheduler_v1_GetRunResponse, GetRunResponse__Output as _millrace_scheduler_v1_GetRunResponse__Output } from './millrace/scheduler/v1/GetRunResponse.js';
import type { GetTaskRequest as _millrace_scheduler_v1_GetTaskRequest, GetTaskRequest__Output as _millrace_scheduler_v1_GetTaskRequest__Output } from './millrace/scheduler/v1/GetTaskRequest.js';
import type { GetTaskResponse as _millrace_scheduler_v1_GetTaskResponse, GetTaskResponse__Output as _millrace_scheduler_v1_GetTaskResponse__Output } from './millrace/scheduler/v1/GetTaskResponse.js';
import type { HoldsLeaseRequest as _millrace_scheduler_v1_HoldsLeaseRequest, HoldsLeaseRequest__Output as _millrace_scheduler_v1_HoldsLeaseRequest__Output } from './millrace/scheduler/v1/HoldsLeaseRequest.js';
import type { HoldsLeaseResponse as _millrace_scheduler_v1_HoldsLeaseResponse, HoldsLeaseResponse__Output as _millrace_scheduler_v1_HoldsLeaseResponse__Output } from './millrace/scheduler/v1/HoldsLeaseResponse.js';
import type { LineageRun as _millrace_scheduler_v1_LineageRun, LineageRun__Output as _millrace_scheduler_v1_LineageRun__Output } from './millrace/scheduler/v1/LineageRun.js';
import type { ListActivityRequest as _millrace_scheduler_v1_ListActivityRequest, ListActivityRequest__Output as _millrace_scheduler_v1_ListActivityRequest__Output } from './millrace/scheduler/v1/ListActivityRequest.js';
import type { ListActivityResponse as _millrace_scheduler_v1_ListActivityResponse, ListActivityResponse__Output as _millrace_scheduler_v1_ListActivityResponse__Output } from './millrace/scheduler/v1/ListActivityResponse.js';
import type { ListApprovalsRequest as _millrace_scheduler_v1_ListApprovalsRequest, ListApprovalsRequest__Output as _millrace_scheduler_v1_ListApprovalsRequest__Output } from './millrace/scheduler/v1/ListApprovalsRequest.js';
import type { ListApprovalsResponse as _millrace_scheduler_v1_ListApprovalsResponse, ListApprovalsResponse__Output as _millrace_scheduler_v1_ListApprovalsResponse__Output } from './millrace/scheduler/v1/ListApprovalsResponse.js';
import type { ListDeadLettersRequest as _millrace_scheduler_v1_ListDeadLettersRequest, ListDeadLettersRequest__Output as _millrace_scheduler_v1_ListDeadLettersRequest__Output } from './millrace/scheduler/v1/ListDeadLettersRequest.js';
import type { ListDeadLettersResponse as _millrace_scheduler_v1_ListDeadLettersResponse, ListDeadLettersResponse__Output as _millrace_scheduler_v1_ListDeadLettersResponse__Output } from './millrace/scheduler/v1/ListDeadLettersResponse.js';
import type { ListRunsRequest as _millrace_scheduler_v1_ListRunsRequest, ListRunsRequest__Output as _millrace_scheduler_v1_ListRunsRequest__Output } from './millrace/scheduler/v1/ListRunsRequest.js';
import type { ListRunsResponse as _millrace_scheduler_v1_ListRunsResponse, ListRunsResponse__Output as _millrace_scheduler_v1_ListRunsResponse__Output } from './millrace/scheduler/v1/ListRunsResponse.js';
import type { ListTasksRequest as _millrace_scheduler_v1_ListTasksRequest, ListTasksRequest__Output as _millrace_scheduler_v1_ListTasksRequest__Output } from './millrace/scheduler/v1/ListTasksRequest.js';
import type { ListTasksResponse as _millrace_scheduler_v1_ListTasksResponse, ListTasksResponse__Output as _millrace_scheduler_v1_ListTasksResponse__Output } from './millrace/scheduler/v1/ListTasksResponse.js';
import type { PauseRunRequest as _millrace_scheduler_v1_PauseRunRequest, PauseRunRequest__Output as _millrace_scheduler_v1_PauseRunRequest__Output } from './millrace/scheduler/v1/PauseRunRequest.js';
import type { PauseRunResponse as _millrace_scheduler_v1_PauseRunResponse, PauseRunResponse__Output as _millrace_scheduler_v1_PauseRunResponse__Output } from './millrace/scheduler/v1/PauseRunResponse.js';
import type { Progress as _millrace_scheduler_v1_Progress, Progress__Output as _millrace_scheduler_v1_Progress__Output } from './millrace/scheduler/v1/Progress.js';
import type { ReadChangedRequest as _millrace_scheduler_v1_ReadChangedRequest, ReadChangedRequest__Output as _millrace_scheduler_v1_ReadChangedRequest__Output } from './millrace/scheduler/v1/ReadChangedRequest.js';
import type { ReadChangedResponse as _millrace_scheduler_v1_ReadChangedResponse, ReadChangedResponse__Output as _millrace_scheduler_v1_ReadChangedResponse__Output } from './millrace/scheduler/v1/ReadChangedResponse.js';
import type { ResumeRunRequest as _millrace_scheduler_v1_ResumeRunRequest, ResumeRunRequest__Output as _millrace_scheduler_v1_ResumeRunRequest__Output } from './millrace/scheduler/v1/ResumeRunRequest.js';
import type { ResumeRunResponse as _millrace_scheduler_v1_ResumeRunResponse, ResumeRunResponse__Output as _millrace_scheduler_v1_ResumeRunResponse__Output } from './millrace/scheduler/v1/ResumeRunResponse.js';
import type { RetryDeadLetterRequest as _millrace_scheduler_v1_RetryDeadLetterRequest, RetryDeadLetterRequest__Output as _millrace_scheduler_v1_RetryDeadLetterRequest__Output } from './millrace/scheduler/v1/RetryDeadLetterRequest.js';
import type { RetryDeadLetterResponse as _millrace_scheduler_v1_RetryDeadLetterResponse, RetryDeadLetterResponse__Output as _millrace_scheduler_v1_RetryDeadLetterResponse__Output } from './millrace/scheduler/v1/RetryDeadLetterResponse.js';
import type { RetryRunRequest as _millrace_scheduler_v1_RetryRunRequest, RetryRunRequest__Output as _millrace_scheduler_v1_RetryRunRequest__Output } from './millrace/scheduler/v1/RetryRunRequest.js';
import type { RetryRunResponse as _millrace_scheduler_v1_RetryRunResponse, RetryRunResponse__Output as _millrace_scheduler_v1_RetryRunResponse__Output } from './millrace/scheduler/v1/RetryRunResponse.js';
import type { Run as _millrace_scheduler_v1_Run, Run__Output as _millrace_scheduler_v1_Run__Output } from './millrace/scheduler/v1/Run.js';
import type { SchedulerInternalServiceClient as _millrace_scheduler_v1_SchedulerInternalServiceClient, SchedulerInternalServiceDefinition as _millrace_scheduler_v1_SchedulerInternalServiceDefinition } from './millrace/scheduler/v1/SchedulerInternalService.js';
import type { SchedulerServiceClient as _millrace_scheduler_v1_SchedulerServiceClient, SchedulerServiceDefinition as _millrace_scheduler_v1_SchedulerServiceDefinition } from './millrace/scheduler/v1/SchedulerService.js';
import type { SendSignalRequest as _millrace_scheduler_v1_SendSignalRequest, SendSignalRequest__Output as _millrace_scheduler_v1_SendSignalRequest__Output } from './millrace/scheduler/v1/SendSignalRequest.js';
import type { SendSignalResponse as _millrace_scheduler_v1_SendSignalResponse, SendSignalResponse__Output as _millrace_scheduler_v1_SendSignalResponse__Output } from './millrace/scheduler/v1/SendSignalResponse.js';
import type { StartedRun as _millrace_scheduler_v1_StartedRun, StartedRun__Output as _millrace_scheduler_v1_StartedRun__Output } from './millrace/scheduler/v1/StartedRun.js';
import type { TakeRunsRequest as _millrace_scheduler_v1_TakeRunsRequest, TakeRunsRequest__Output as _millrace_scheduler_v1_TakeRunsRequest__Output } from './millrace/scheduler/v1/TakeRunsRequest.js';
import type { TakeRunsResponse as _millrace_scheduler_v1_TakeRunsResponse, TakeRunsResponse__Output as _millrace_scheduler_v1_TakeRunsResponse__Output } from './millrace/scheduler/v1/TakeRunsResponse.js';
import type { Task as _millrace_scheduler_v1_Task, Task__Output as _millrace_scheduler_v1_Task__Output } from './millrace/scheduler/v1/Task.js';
import type { TaskExplanation as _millrace_scheduler_v1_TaskExplanation, TaskExplanation__Output as _millrace_scheduler_v1_TaskExplanation__Output } from './millrace/scheduler/v1/TaskExplanation.js';
import type { WaitingFor as _millrace_scheduler_v1_WaitingFor, WaitingFor__Output as _millrace_scheduler_v1_WaitingFor__Output } from './millrace/scheduler/v1/WaitingFor.js';
import type { WatchRunRequest as _millrace_scheduler_v1_WatchRunRequest, WatchRunRequest__Output as _millrace_scheduler_v1_WatchRunRequest__Output } from './millrace/scheduler/v1/WatchRunRequest.js';
import type { WatchRunResponse as _millrace_scheduler_v1_WatchRunResponse, WatchRunResponse__Output as _millrace_scheduler_v1_WatchRunResponse__Output } from './millrace/scheduler/v1/WatchRunResponse.js';

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
    scheduler: {
      v1: {
        Activity: MessageTypeDefinition<_millrace_scheduler_v1_Activity, _millrace_scheduler_v1_Activity__Output>
        Approval: MessageTypeDefinition<_millrace_scheduler_v1_Approval, _millrace_scheduler_v1_Approval__Output>
        AttemptFailure: MessageTypeDefinition<_millrace_scheduler_v1_AttemptFailure, _millrace_scheduler_v1_AttemptFailure__Output>
        Blocker: MessageTypeDefinition<_millrace_scheduler_v1_Blocker, _millrace_scheduler_v1_Blocker__Output>
        CancelRunRequest: MessageTypeDefinition<_millrace_scheduler_v1_CancelRunRequest, _millrace_scheduler_v1_CancelRunRequest__Output>
        CancelRunResponse: MessageTypeDefinition<_millrace_scheduler_v1_CancelRunResponse, _millrace_scheduler_v1_CancelRunResponse__Output>
        CountRunsRequest: MessageTypeDefinition<_millrace_scheduler_v1_CountRunsRequest, _millrace_scheduler_v1_CountRunsRequest__Output>
        CountRunsResponse: MessageTypeDefinition<_millrace_scheduler_v1_CountRunsResponse, _millrace_scheduler_v1_CountRunsResponse__Output>
        DeadLetter: MessageTypeDefinition<_millrace_scheduler_v1_DeadLetter, _millrace_scheduler_v1_DeadLetter__Output>
        DecideApprovalRequest: MessageTypeDefinition<_millrace_scheduler_v1_DecideApprovalRequest, _millrace_scheduler_v1_DecideApprovalRequest__Output>
        DecideApprovalResponse: MessageTypeDefinition<_millrace_scheduler_v1_DecideApprovalResponse, _millrace_scheduler_v1_DecideApprovalResponse__Output>
        DeleteDeadLetterRequest: MessageTypeDefinition<_millrace_scheduler_v1_DeleteDeadLetterRequest, _millrace_scheduler_v1_DeleteDeadLetterRequest__Output>
        DeleteDeadLetterResponse: MessageTypeDefinition<_millrace_scheduler_v1_DeleteDeadLetterResponse, _millrace_scheduler_v1_DeleteDeadLetterResponse__Output>
        DeleteRunsRequest: MessageTypeDefinition<_millrace_scheduler_v1_DeleteRunsRequest, _millrace_scheduler_v1_DeleteRunsRequest__Output>
        DeleteRunsResponse: MessageTypeDefinition<_millrace_scheduler_v1_DeleteRunsResponse, _millrace_scheduler_v1_DeleteRunsResponse__Output>
        EndedRun: MessageTypeDefinition<_millrace_scheduler_v1_EndedRun, _millrace_scheduler_v1_EndedRun__Output>
        ExplainRunRequest: MessageTypeDefinition<_millrace_scheduler_v1_ExplainRunRequest, _millrace_scheduler_v1_ExplainRunRequest__Output>
        ExplainRunResponse: MessageTypeDefinition<_millrace_scheduler_v1_ExplainRunResponse, _millrace_scheduler_v1_ExplainRunResponse__Output>
        FindOutputUsersRequest: MessageTypeDefinition<_millrace_scheduler_v1_FindOutputUsersRequest, _millrace_scheduler_v1_FindOutputUsersRequest__Output>
        FindOutputUsersResponse: MessageTypeDefinition<_millrace_scheduler_v1_FindOutputUsersResponse, _millrace_scheduler_v1_FindOutputUsersResponse__Output>
        GetDeadLetterRequest: MessageTypeDefinition<_millrace_scheduler_v1_GetDeadLetterRequest, _millrace_scheduler_v1_GetDeadLetterRequest__Output>
        GetDeadLetterResponse: MessageTypeDefinition<_millrace_scheduler_v1_GetDeadLetterResponse, _millrace_scheduler_v1_GetDeadLetterResponse__Output>
        GetLineageRequest: MessageTypeDefinition<_millrace_scheduler_v1_GetLineageRequest, _millrace_scheduler_v1_GetLineageRequest__Output>
        GetLineageResponse: MessageTypeDefinition<_millrace_scheduler_v1_GetLineageResponse, _millrace_scheduler_v1_GetLineageResponse__Output>
        GetRunRequest: MessageTypeDefinition<_millrace_scheduler_v1_GetRunRequest, _millrace_scheduler_v1_GetRunRequest__Output>
        GetRunResponse: MessageTypeDefinition<_millrace_scheduler_v1_GetRunResponse, _millrace_scheduler_v1_GetRunResponse__Output>
        GetTaskRequest: MessageTypeDefinition<_millrace_scheduler_v1_GetTaskRequest, _millrace_scheduler_v1_GetTaskRequest__Output>
        GetTaskResponse: MessageTypeDefinition<_millrace_scheduler_v1_GetTaskResponse, _millrace_scheduler_v1_GetTaskResponse__Output>
        HoldsLeaseRequest: MessageTypeDefinition<_millrace_scheduler_v1_HoldsLeaseRequest, _millrace_scheduler_v1_HoldsLeaseRequest__Output>
        HoldsLeaseResponse: MessageTypeDefinition<_millrace_scheduler_v1_HoldsLeaseResponse, _millrace_scheduler_v1_HoldsLeaseResponse__Output>
        LineageRun: MessageTypeDefinition<_millrace_scheduler_v1_LineageRun, _millrace_scheduler_v1_LineageRun__Output>
        ListActivityRequest: MessageTypeDefinition<_millrace_scheduler_v1_ListActivityRequest, _millrace_scheduler_v1_ListActivityRequest__Output>
        ListActivityResponse: MessageTypeDefinition<_millrace_scheduler_v1_ListActivityResponse, _millrace_scheduler_v1_ListActivityResponse__Output>
        ListApprovalsRequest: MessageTypeDefinition<_millrace_scheduler_v1_ListApprovalsRequest, _millrace_scheduler_v1_ListApprovalsRequest__Output>
        ListApprovalsResponse: MessageTypeDefinition<_millrace_scheduler_v1_ListApprovalsResponse, _millrace_scheduler_v1_ListApprovalsResponse__Output>
        ListDeadLettersRequest: MessageTypeDefinition<_millrace_scheduler_v1_ListDeadLettersRequest, _millrace_scheduler_v1_ListDeadLettersRequest__Output>
        ListDeadLettersResponse: MessageTypeDefinition<_millrace_scheduler_v1_ListDeadLettersResponse, _millrace_scheduler_v1_ListDeadLettersResponse__Output>
        ListRunsRequest: MessageTypeDefinition<_millrace_scheduler_v1_ListRunsRequest, _millrace_scheduler_v1_ListRunsRequest__Output>
        ListRunsResponse: MessageTypeDefinition<_millrace_scheduler_v1_ListRunsResponse, _millrace_scheduler_v1_ListRunsResponse__Output>
        ListTasksRequest: MessageTypeDefinition<_millrace_scheduler_v1_ListTasksRequest, _millrace_scheduler_v1_ListTasksRequest__Output>
        ListTasksResponse: MessageTypeDefinition<_millrace_scheduler_v1_ListTasksResponse, _millrace_scheduler_v1_ListTasksResponse__Output>
        PauseRunRequest: MessageTypeDefinition<_millrace_scheduler_v1_PauseRunRequest, _millrace_scheduler_v1_PauseRunRequest__Output>
        PauseRunResponse: MessageTypeDefinition<_millrace_scheduler_v1_PauseRunResponse, _millrace_scheduler_v1_PauseRunResponse__Output>
        Progress: MessageTypeDefinition<_millrace_scheduler_v1_Progress, _millrace_scheduler_v1_Progress__Output>
        ReadChangedRequest: MessageTypeDefinition<_millrace_scheduler_v1_ReadChangedRequest, _millrace_scheduler_v1_ReadChangedRequest__Output>
        ReadChangedResponse: MessageTypeDefinition<_millrace_scheduler_v1_ReadChangedResponse, _millrace_scheduler_v1_ReadChangedResponse__Output>
        ResumeRunRequest: MessageTypeDefinition<_millrace_scheduler_v1_ResumeRunRequest, _millrace_scheduler_v1_ResumeRunRequest__Output>
        ResumeRunResponse: MessageTypeDefinition<_millrace_scheduler_v1_ResumeRunResponse, _millrace_scheduler_v1_ResumeRunResponse__Output>
        RetryDeadLetterRequest: MessageTypeDefinition<_millrace_scheduler_v1_RetryDeadLetterRequest, _millrace_scheduler_v1_RetryDeadLetterRequest__Output>
        RetryDeadLetterResponse: MessageTypeDefinition<_millrace_scheduler_v1_RetryDeadLetterResponse, _millrace_scheduler_v1_RetryDeadLetterResponse__Output>
        RetryRunRequest: MessageTypeDefinition<_millrace_scheduler_v1_RetryRunRequest, _millrace_scheduler_v1_RetryRunRequest__Output>
        RetryRunResponse: MessageTypeDefinition<_millrace_scheduler_v1_RetryRunResponse, _millrace_scheduler_v1_RetryRunResponse__Output>
        Run: MessageTypeDefinition<_millrace_scheduler_v1_Run, _millrace_scheduler_v1_Run__Output>
        /**
         * Internal listener; callers present a service identity and say for which project they act.
         */
        SchedulerInternalService: SubtypeConstructor<typeof grpc.Client, _millrace_scheduler_v1_SchedulerInternalServiceClient> & { service: _millrace_scheduler_v1_SchedulerInternalServiceDefinition }
        /**
         * Public listener; callers present the same tokens as over HTTP.
         */
        SchedulerService: SubtypeConstructor<typeof grpc.Client, _millrace_scheduler_v1_SchedulerServiceClient> & { service: _millrace_scheduler_v1_SchedulerServiceDefinition }
        SendSignalRequest: MessageTypeDefinition<_millrace_scheduler_v1_SendSignalRequest, _millrace_scheduler_v1_SendSignalRequest__Output>
        SendSignalResponse: MessageTypeDefinition<_millrace_scheduler_v1_SendSignalResponse, _millrace_scheduler_v1_SendSignalResponse__Output>
        StartedRun: MessageTypeDefinition<_millrace_scheduler_v1_StartedRun, _millrace_scheduler_v1_StartedRun__Output>
        TakeRunsRequest: MessageTypeDefinition<_millrace_scheduler_v1_TakeRunsRequest, _millrace_scheduler_v1_TakeRunsRequest__Output>
        TakeRunsResponse: MessageTypeDefinition<_millrace_scheduler_v1_TakeRunsResponse, _millrace_scheduler_v1_TakeRunsResponse__Output>
        Task: MessageTypeDefinition<_millrace_scheduler_v1_Task, _millrace_scheduler_v1_Task__Output>
        TaskExplanation: MessageTypeDefinition<_millrace_scheduler_v1_TaskExplanation, _millrace_scheduler_v1_TaskExplanation__Output>
        WaitingFor: MessageTypeDefinition<_millrace_scheduler_v1_WaitingFor, _millrace_scheduler_v1_WaitingFor__Output>
        WatchRunRequest: MessageTypeDefinition<_millrace_scheduler_v1_WatchRunRequest, _millrace_scheduler_v1_WatchRunRequest__Output>
        WatchRunResponse: MessageTypeDefinition<_millrace_scheduler_v1_WatchRunResponse, _millrace_scheduler_v1_WatchRunResponse__Output>
      }
    }
  }
}

