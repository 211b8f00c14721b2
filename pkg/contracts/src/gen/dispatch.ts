import type * as grpc from '@grpc/grpc-js';
import type { EnumTypeDefinition, MessageTypeDefinition } from '@grpc/proto-loader';

import type { Failure as _millrace_common_v1_Failure, Failure__Output as _millrace_common_v1_Failure__Output } from './millrace/common/v1/Failure.js';
import type { ParentTask as _millrace_common_v1_ParentTask, ParentTask__Output as _millrace_common_v1_ParentTask__Output } from './millrace/common/v1/ParentTask.js';
import type { RerunSource as _millrace_common_v1_RerunSource, RerunSource__Output as _millrace_common_v1_RerunSource__Output } from './millrace/common/v1/RerunSource.js';
import type { Blocker as _millrace_scheduler_v1_Blocker, Blocker__Output as _millrace_scheduler_v1_Blocker__Output } from './millrace/scheduler/v1/Blocker.js';
import type { CancelTask as _millrace_scheduler_v1_CancelTask, CancelTask__Output as _millrace_scheduler_v1_CancelTask__Output } from './millrace/scheduler/v1/CancelTask.js';
import type { CommandsRequest as _millrace_scheduler_v1_CommandsRequest, CommandsRequest__Output as _millrace_scheduler_v1_CommandsRequest__Output } from './millrace/scheduler/v1/CommandsRequest.js';
import type { CommandsResponse as _millrace_scheduler_v1_CommandsResponse, CommandsResponse__Output as _millrace_scheduler_v1_CommandsResponse__Output } from './millrace/scheduler/v1/CommandsResponse.js';
import type { DeregisterRequest as _millrace_scheduler_v1_DeregisterRequest, DeregisterRequest__Output as _millrace_scheduler_v1_DeregisterRequest__Output } from './millrace/scheduler/v1/DeregisterRequest.js';
import type { DeregisterResponse as _millrace_scheduler_v1_DeregisterResponse, DeregisterResponse__Output as _millrace_scheduler_v1_DeregisterResponse__Output } from './millrace/scheduler/v1/DeregisterResponse.js';
import type { DispatchServiceClient as _millrace_scheduler_v1_DispatchServiceClient, DispatchServiceDefinition as _millrace_scheduler_v1_DispatchServiceDefinition } from './millrace/scheduler/v1/DispatchService.js';
import type { HeartbeatRequest as _millrace_scheduler_v1_HeartbeatRequest, HeartbeatRequest__Output as _millrace_scheduler_v1_HeartbeatRequest__Output } from './millrace/scheduler/v1/HeartbeatRequest.js';
import type { HeartbeatResponse as _millrace_scheduler_v1_HeartbeatResponse, HeartbeatResponse__Output as _millrace_scheduler_v1_HeartbeatResponse__Output } from './millrace/scheduler/v1/HeartbeatResponse.js';
import type { HeldLease as _millrace_scheduler_v1_HeldLease, HeldLease__Output as _millrace_scheduler_v1_HeldLease__Output } from './millrace/scheduler/v1/HeldLease.js';
import type { Lease as _millrace_scheduler_v1_Lease, Lease__Output as _millrace_scheduler_v1_Lease__Output } from './millrace/scheduler/v1/Lease.js';
import type { LeaseTasksRequest as _millrace_scheduler_v1_LeaseTasksRequest, LeaseTasksRequest__Output as _millrace_scheduler_v1_LeaseTasksRequest__Output } from './millrace/scheduler/v1/LeaseTasksRequest.js';
import type { LeaseTasksResponse as _millrace_scheduler_v1_LeaseTasksResponse, LeaseTasksResponse__Output as _millrace_scheduler_v1_LeaseTasksResponse__Output } from './millrace/scheduler/v1/LeaseTasksResponse.js';
import type { OpenCircuit as _millrace_scheduler_v1_OpenCircuit, OpenCircuit__Output as _millrace_scheduler_v1_OpenCircuit__Output } from './millrace/scheduler/v1/OpenCircuit.js';
import type { Progress as _millrace_scheduler_v1_Progress, Progress__Output as _millrace_scheduler_v1_Progress__Output } from './millrace/scheduler/v1/Progress.js';
import type { RegisterRequest as _millrace_scheduler_v1_RegisterRequest, RegisterRequest__Output as _millrace_scheduler_v1_RegisterRequest__Output } from './millrace/scheduler/v1/RegisterRequest.js';
import type { RegisterResponse as _millrace_scheduler_v1_RegisterResponse, RegisterResponse__Output as _millrace_scheduler_v1_RegisterResponse__Output } from './millrace/scheduler/v1/RegisterResponse.js';
import type { ReportResultsRequest as _millrace_scheduler_v1_ReportResultsRequest, ReportResultsRequest__Output as _millrace_scheduler_v1_ReportResultsRequest__Output } from './millrace/scheduler/v1/ReportResultsRequest.js';
import type { ReportResultsResponse as _millrace_scheduler_v1_ReportResultsResponse, ReportResultsResponse__Output as _millrace_scheduler_v1_ReportResultsResponse__Output } from './millrace/scheduler/v1/ReportResultsResponse.js';
import type { Run as _millrace_scheduler_v1_Run, Run__Output as _millrace_scheduler_v1_Run__Output } from './millrace/scheduler/v1/Run.js';
import type { Session as _millrace_scheduler_v1_Session, Session__Output as _millrace_scheduler_v1_Session__Output } from './millrace/scheduler/v1/Session.js';
import type { Task as _millrace_scheduler_v1_Task, Task__Output as _millrace_scheduler_v1_Task__Output } from './millrace/scheduler/v1/Task.js';
import type { TaskExplanation as _millrace_scheduler_v1_TaskExplanation, TaskExplanation__Output as _millrace_scheduler_v1_TaskExplanation__Output } from './millrace/scheduler/v1/TaskExplanation.js';
import type { TaskResult as _millrace_scheduler_v1_TaskResult, TaskResult__Output as _millrace_scheduler_v1_TaskResult__Output } from './millrace/scheduler/v1/TaskResult.js';
import type { WaitingFor as _millrace_scheduler_v1_WaitingFor, WaitingFor__Output as _millrace_scheduler_v1_WaitingFor__Output } from './millrace/scheduler/v1/WaitingFor.js';
import type { WorkFailure as _millrace_scheduler_v1_WorkFailure, WorkFailure__Output as _millrace_scheduler_v1_WorkFailure__Output } from './millrace/scheduler/v1/WorkFailure.js';
import type { WorkRequest as _millrace_scheduler_v1_WorkRequest, WorkRequest__Output as _millrace_scheduler_v1_WorkRequest__Output } from './millrace/scheduler/v1/WorkRequest.js';
import type { WorkResponse as _millrace_scheduler_v1_WorkResponse, WorkResponse__Output as _millrace_scheduler_v1_WorkResponse__Output } from './millrace/scheduler/v1/WorkResponse.js';

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
        CancelTask: MessageTypeDefinition<_millrace_scheduler_v1_CancelTask, _millrace_scheduler_v1_CancelTask__Output>
        CommandsRequest: MessageTypeDefinition<_millrace_scheduler_v1_CommandsRequest, _millrace_scheduler_v1_CommandsRequest__Output>
        CommandsResponse: MessageTypeDefinition<_millrace_scheduler_v1_CommandsResponse, _millrace_scheduler_v1_CommandsResponse__Output>
        DeregisterRequest: MessageTypeDefinition<_millrace_scheduler_v1_DeregisterRequest, _millrace_scheduler_v1_DeregisterRequest__Output>
        DeregisterResponse: MessageTypeDefinition<_millrace_scheduler_v1_DeregisterResponse, _millrace_scheduler_v1_DeregisterResponse__Output>
        /**
         * For workers in any language. Public listener; a project's key leases that project's tasks only,
         * a service identity (the built-in shared worker) leases for all projects.
         */
        DispatchService: SubtypeConstructor<typeof grpc.Client, _millrace_scheduler_v1_DispatchServiceClient> & { service: _millrace_scheduler_v1_DispatchServiceDefinition }
        HeartbeatRequest: MessageTypeDefinition<_millrace_scheduler_v1_HeartbeatRequest, _millrace_scheduler_v1_HeartbeatRequest__Output>
        HeartbeatResponse: MessageTypeDefinition<_millrace_scheduler_v1_HeartbeatResponse, _millrace_scheduler_v1_HeartbeatResponse__Output>
        HeldLease: MessageTypeDefinition<_millrace_scheduler_v1_HeldLease, _millrace_scheduler_v1_HeldLease__Output>
        Lease: MessageTypeDefinition<_millrace_scheduler_v1_Lease, _millrace_scheduler_v1_Lease__Output>
        LeaseTasksRequest: MessageTypeDefinition<_millrace_scheduler_v1_LeaseTasksRequest, _millrace_scheduler_v1_LeaseTasksRequest__Output>
        LeaseTasksResponse: MessageTypeDefinition<_millrace_scheduler_v1_LeaseTasksResponse, _millrace_scheduler_v1_LeaseTasksResponse__Output>
        OpenCircuit: MessageTypeDefinition<_millrace_scheduler_v1_OpenCircuit, _millrace_scheduler_v1_OpenCircuit__Output>
        Outcome: EnumTypeDefinition
        Progress: MessageTypeDefinition<_millrace_scheduler_v1_Progress, _millrace_scheduler_v1_Progress__Output>
        RegisterRequest: MessageTypeDefinition<_millrace_scheduler_v1_RegisterRequest, _millrace_scheduler_v1_RegisterRequest__Output>
        RegisterResponse: MessageTypeDefinition<_millrace_scheduler_v1_RegisterResponse, _millrace_scheduler_v1_RegisterResponse__Output>
        ReportResultsRequest: MessageTypeDefinition<_millrace_scheduler_v1_ReportResultsRequest, _millrace_scheduler_v1_ReportResultsRequest__Output>
        ReportResultsResponse: MessageTypeDefinition<_millrace_scheduler_v1_ReportResultsResponse, _millrace_scheduler_v1_ReportResultsResponse__Output>
        Run: MessageTypeDefinition<_millrace_scheduler_v1_Run, _millrace_scheduler_v1_Run__Output>
        Session: MessageTypeDefinition<_millrace_scheduler_v1_Session, _millrace_scheduler_v1_Session__Output>
        Task: MessageTypeDefinition<_millrace_scheduler_v1_Task, _millrace_scheduler_v1_Task__Output>
        TaskExplanation: MessageTypeDefinition<_millrace_scheduler_v1_TaskExplanation, _millrace_scheduler_v1_TaskExplanation__Output>
        TaskResult: MessageTypeDefinition<_millrace_scheduler_v1_TaskResult, _millrace_scheduler_v1_TaskResult__Output>
        Verdict: EnumTypeDefinition
        WaitingFor: MessageTypeDefinition<_millrace_scheduler_v1_WaitingFor, _millrace_scheduler_v1_WaitingFor__Output>
        WorkFailure: MessageTypeDefinition<_millrace_scheduler_v1_WorkFailure, _millrace_scheduler_v1_WorkFailure__Output>
        WorkRequest: MessageTypeDefinition<_millrace_scheduler_v1_WorkRequest, _millrace_scheduler_v1_WorkRequest__Output>
        WorkResponse: MessageTypeDefinition<_millrace_scheduler_v1_WorkResponse, _millrace_scheduler_v1_WorkResponse__Output>
      }
    }
  }
}

