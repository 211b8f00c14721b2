import type * as grpc from '@grpc/grpc-js';
import type { MessageTypeDefinition } from '@grpc/proto-loader';

import type { BackfillScheduleRequest as _millrace_scheduler_v1_BackfillScheduleRequest, BackfillScheduleRequest__Output as _millrace_scheduler_v1_BackfillScheduleRequest__Output } from './millrace/scheduler/v1/BackfillScheduleRequest.js';
import type { BackfillScheduleResponse as _millrace_scheduler_v1_BackfillScheduleResponse, BackfillScheduleResponse__Output as _millrace_scheduler_v1_BackfillScheduleResponse__Output } from './millrace/scheduler/v1/BackfillScheduleResponse.js';
import type { CommandWorkerRequest as _millrace_scheduler_v1_CommandWorkerRequest, CommandWorkerRequest__Output as _millrace_scheduler_v1_CommandWorkerRequest__Output } from './millrace/scheduler/v1/CommandWorkerRequest.js';
import type { CommandWorkerResponse as _millrace_scheduler_v1_CommandWorkerResponse, CommandWorkerResponse__Output as _millrace_scheduler_v1_CommandWorkerResponse__Output } from './millrace/scheduler/v1/CommandWorkerResponse.js';
import type { ControlServiceClient as _millrace_scheduler_v1_ControlServiceClient, ControlServiceDefinition as _millrace_scheduler_v1_ControlServiceDefinition } from './millrace/scheduler/v1/ControlService.js';
import type { CountSchedulesRequest as _millrace_scheduler_v1_CountSchedulesRequest, CountSchedulesRequest__Output as _millrace_scheduler_v1_CountSchedulesRequest__Output } from './millrace/scheduler/v1/CountSchedulesRequest.js';
import type { CountSchedulesResponse as _millrace_scheduler_v1_CountSchedulesResponse, CountSchedulesResponse__Output as _millrace_scheduler_v1_CountSchedulesResponse__Output } from './millrace/scheduler/v1/CountSchedulesResponse.js';
import type { CreateScheduleRequest as _millrace_scheduler_v1_CreateScheduleRequest, CreateScheduleRequest__Output as _millrace_scheduler_v1_CreateScheduleRequest__Output } from './millrace/scheduler/v1/CreateScheduleRequest.js';
import type { CreateScheduleResponse as _millrace_scheduler_v1_CreateScheduleResponse, CreateScheduleResponse__Output as _millrace_scheduler_v1_CreateScheduleResponse__Output } from './millrace/scheduler/v1/CreateScheduleResponse.js';
import type { DeleteScheduleRequest as _millrace_scheduler_v1_DeleteScheduleRequest, DeleteScheduleRequest__Output as _millrace_scheduler_v1_DeleteScheduleRequest__Output } from './millrace/scheduler/v1/DeleteScheduleRequest.js';
import type { DeleteScheduleResponse as _millrace_scheduler_v1_DeleteScheduleResponse, DeleteScheduleResponse__Output as _millrace_scheduler_v1_DeleteScheduleResponse__Output } from './millrace/scheduler/v1/DeleteScheduleResponse.js';
import type { GetScheduleRequest as _millrace_scheduler_v1_GetScheduleRequest, GetScheduleRequest__Output as _millrace_scheduler_v1_GetScheduleRequest__Output } from './millrace/scheduler/v1/GetScheduleRequest.js';
import type { GetScheduleResponse as _millrace_scheduler_v1_GetScheduleResponse, GetScheduleResponse__Output as _millrace_scheduler_v1_GetScheduleResponse__Output } from './millrace/scheduler/v1/GetScheduleResponse.js';
import type { ListQueuesRequest as _millrace_scheduler_v1_ListQueuesRequest, ListQueuesRequest__Output as _millrace_scheduler_v1_ListQueuesRequest__Output } from './millrace/scheduler/v1/ListQueuesRequest.js';
import type { ListQueuesResponse as _millrace_scheduler_v1_ListQueuesResponse, ListQueuesResponse__Output as _millrace_scheduler_v1_ListQueuesResponse__Output } from './millrace/scheduler/v1/ListQueuesResponse.js';
import type { ListSchedulesRequest as _millrace_scheduler_v1_ListSchedulesRequest, ListSchedulesRequest__Output as _millrace_scheduler_v1_ListSchedulesRequest__Output } from './millrace/scheduler/v1/ListSchedulesRequest.js';
import type { ListSchedulesResponse as _millrace_scheduler_v1_ListSchedulesResponse, ListSchedulesResponse__Output as _millrace_scheduler_v1_ListSchedulesResponse__Output } from './millrace/scheduler/v1/ListSchedulesResponse.js';
import type { ListWorkersRequest as _millrace_scheduler_v1_ListWorkersRequest, ListWorkersRequest__Output as _millrace_scheduler_v1_ListWorkersRequest__Output } from './millrace/scheduler/v1/ListWorkersRequest.js';
import type { ListWorkersResponse as _millrace_scheduler_v1_ListWorkersResponse, ListWorkersResponse__Output as _millrace_scheduler_v1_ListWorkersResponse__Output } from './millrace/scheduler/v1/ListWorkersResponse.js';
import type { NextTicksRequest as _millrace_scheduler_v1_NextTicksRequest, NextTicksRequest__Output as _millrace_scheduler_v1_NextTicksRequest__Output } from './millrace/scheduler/v1/NextTicksRequest.js';
import type { NextTicksResponse as _millrace_scheduler_v1_NextTicksResponse, NextTicksResponse__Output as _millrace_scheduler_v1_NextTicksResponse__Output } from './millrace/scheduler/v1/NextTicksResponse.js';
import type { PreviewBackfillRequest as _millrace_scheduler_v1_PreviewBackfillRequest, PreviewBackfillRequest__Output as _millrace_scheduler_v1_PreviewBackfillRequest__Output } from './millrace/scheduler/v1/PreviewBackfillRequest.js';
import type { PreviewBackfillResponse as _millrace_scheduler_v1_PreviewBackfillResponse, PreviewBackfillResponse__Output as _millrace_scheduler_v1_PreviewBackfillResponse__Output } from './millrace/scheduler/v1/PreviewBackfillResponse.js';
import type { Queue as _millrace_scheduler_v1_Queue, Queue__Output as _millrace_scheduler_v1_Queue__Output } from './millrace/scheduler/v1/Queue.js';
import type { RateLimit as _millrace_scheduler_v1_RateLimit, RateLimit__Output as _millrace_scheduler_v1_RateLimit__Output } from './millrace/scheduler/v1/RateLimit.js';
import type { Requester as _millrace_scheduler_v1_Requester, Requester__Output as _millrace_scheduler_v1_Requester__Output } from './millrace/scheduler/v1/Requester.js';
import type { Schedule as _millrace_scheduler_v1_Schedule, Schedule__Output as _millrace_scheduler_v1_Schedule__Output } from './millrace/scheduler/v1/Schedule.js';
import type { ScheduleServiceClient as _millrace_scheduler_v1_ScheduleServiceClient, ScheduleServiceDefinition as _millrace_scheduler_v1_ScheduleServiceDefinition } from './millrace/scheduler/v1/ScheduleService.js';
import type { SharedWorkers as _millrace_scheduler_v1_SharedWorkers, SharedWorkers__Output as _millrace_scheduler_v1_SharedWorkers__Output } from './millrace/scheduler/v1/SharedWorkers.js';
import type { TickFailure as _millrace_scheduler_v1_TickFailure, TickFailure__Output as _millrace_scheduler_v1_TickFailure__Output } from './millrace/scheduler/v1/TickFailure.js';
import type { UpdateQueueRequest as _millrace_scheduler_v1_UpdateQueueRequest, UpdateQueueRequest__Output as _millrace_scheduler_v1_UpdateQueueRequest__Output } from './millrace/scheduler/v1/UpdateQueueRequest.js';
import type { UpdateQueueResponse as _millrace_scheduler_v1_UpdateQueueResponse, UpdateQueueResponse__Output as _millrace_scheduler_v1_UpdateQueueResponse__Output } from './millrace/scheduler/v1/UpdateQueueResponse.js';
import type { UpdateScheduleRequest as _millrace_scheduler_v1_UpdateScheduleRequest, UpdateScheduleRequest__Output as _millrace_scheduler_v1_UpdateScheduleRequest__Output } from './millrace/scheduler/v1/UpdateScheduleRequest.js';
import type { UpdateScheduleResponse as _millrace_scheduler_v1_UpdateScheduleResponse, UpdateScheduleResponse__Output as _millrace_scheduler_v1_UpdateScheduleResponse__Output } from './millrace/scheduler/v1/UpdateScheduleResponse.js';
import type { Worker as _millrace_scheduler_v1_Worker, Worker__Output as _millrace_scheduler_v1_Worker__Output } from './millrace/scheduler/v1/Worker.js';
import type { WorkerCircuit as _millrace_scheduler_v1_WorkerCircuit, WorkerCircuit__Output as _millrace_scheduler_v1_WorkerCircuit__Output } from './millrace/scheduler/v1/WorkerCircuit.js';
import type { WorkerTotals as _millrace_scheduler_v1_WorkerTotals, WorkerTotals__Output as _millrace_scheduler_v1_WorkerTotals__Output } from './millrace/scheduler/v1/WorkerTotals.js';

type SubtypeConstructor<Constructor extends new (...args: any) => any, Subtype> = {
  new(...args: ConstructorParameters<Constructor>): Subtype;
};

export interface ProtoGrpcType {
  millrace: {
    scheduler: {
      v1: {
        BackfillScheduleRequest: MessageTypeDefinition<_millrace_scheduler_v1_BackfillScheduleRequest, _millrace_scheduler_v1_BackfillScheduleRequest__Output>
        BackfillScheduleResponse: MessageTypeDefinition<_millrace_scheduler_v1_BackfillScheduleResponse, _millrace_scheduler_v1_BackfillScheduleResponse__Output>
        CommandWorkerRequest: MessageTypeDefinition<_millrace_scheduler_v1_CommandWorkerRequest, _millrace_scheduler_v1_CommandWorkerRequest__Output>
        CommandWorkerResponse: MessageTypeDefinition<_millrace_scheduler_v1_CommandWorkerResponse, _millrace_scheduler_v1_CommandWorkerResponse__Output>
        /**
         * Internal listener; callers present a service identity and say for which project they act.
         * Workers and queues as people see and control them; the workflow service is their public face.
         */
        ControlService: SubtypeConstructor<typeof grpc.Client, _millrace_scheduler_v1_ControlServiceClient> & { service: _millrace_scheduler_v1_ControlServiceDefinition }
        CountSchedulesRequest: MessageTypeDefinition<_millrace_scheduler_v1_CountSchedulesRequest, _millrace_scheduler_v1_CountSchedulesRequest__Output>
        CountSchedulesResponse: MessageTypeDefinition<_millrace_scheduler_v1_CountSchedulesResponse, _millrace_scheduler_v1_CountSchedulesResponse__Output>
        CreateScheduleRequest: MessageTypeDefinition<_millrace_scheduler_v1_CreateScheduleRequest, _millrace_scheduler_v1_CreateScheduleRequest__Output>
        CreateScheduleResponse: MessageTypeDefinition<_millrace_scheduler_v1_CreateScheduleResponse, _millrace_scheduler_v1_CreateScheduleResponse__Output>
        DeleteScheduleRequest: MessageTypeDefinition<_millrace_scheduler_v1_DeleteScheduleRequest, _millrace_scheduler_v1_DeleteScheduleRequest__Output>
        DeleteScheduleResponse: MessageTypeDefinition<_millrace_scheduler_v1_DeleteScheduleResponse, _millrace_scheduler_v1_DeleteScheduleResponse__Output>
        GetScheduleRequest: MessageTypeDefinition<_millrace_scheduler_v1_GetScheduleRequest, _millrace_scheduler_v1_GetScheduleRequest__Output>
        GetScheduleResponse: MessageTypeDefinition<_millrace_scheduler_v1_GetScheduleResponse, _millrace_scheduler_v1_GetScheduleResponse__Output>
        ListQueuesRequest: MessageTypeDefinition<_millrace_scheduler_v1_ListQueuesRequest, _millrace_scheduler_v1_ListQueuesRequest__Output>
        ListQueuesResponse: MessageTypeDefinition<_millrace_scheduler_v1_ListQueuesResponse, _millrace_scheduler_v1_ListQueuesResponse__Output>
        ListSchedulesRequest: MessageTypeDefinition<_millrace_scheduler_v1_ListSchedulesRequest, _millrace_scheduler_v1_ListSchedulesRequest__Output>
        ListSchedulesResponse: MessageTypeDefinition<_millrace_scheduler_v1_ListSchedulesResponse, _millrace_scheduler_v1_ListSchedulesResponse__Output>
        ListWorkersRequest: MessageTypeDefinition<_millrace_scheduler_v1_ListWorkersRequest, _millrace_scheduler_v1_ListWorkersRequest__Output>
        ListWorkersResponse: MessageTypeDefinition<_millrace_scheduler_v1_ListWorkersResponse, _millrace_scheduler_v1_ListWorkersResponse__Output>
        NextTicksRequest: MessageTypeDefinition<_millrace_scheduler_v1_NextTicksRequest, _millrace_scheduler_v1_NextTicksRequest__Output>
        NextTicksResponse: MessageTypeDefinition<_millrace_scheduler_v1_NextTicksResponse, _millrace_scheduler_v1_NextTicksResponse__Output>
        PreviewBackfillRequest: MessageTypeDefinition<_millrace_scheduler_v1_PreviewBackfillRequest, _millrace_scheduler_v1_PreviewBackfillRequest__Output>
        PreviewBackfillResponse: MessageTypeDefinition<_millrace_scheduler_v1_PreviewBackfillResponse, _millrace_scheduler_v1_PreviewBackfillResponse__Output>
        Queue: MessageTypeDefinition<_millrace_scheduler_v1_Queue, _millrace_scheduler_v1_Queue__Output>
        RateLimit: MessageTypeDefinition<_millrace_scheduler_v1_RateLimit, _millrace_scheduler_v1_RateLimit__Output>
        Requester: MessageTypeDefinition<_millrace_scheduler_v1_Requester, _millrace_scheduler_v1_Requester__Output>
        Schedule: MessageTypeDefinition<_millrace_scheduler_v1_Schedule, _millrace_scheduler_v1_Schedule__Output>
        /**
         * Internal listener; callers present a service identity and say for which project they act.
         * The scheduler owns schedules; the workflow service is their public face and has checked workflow and input.
         */
        ScheduleService: SubtypeConstructor<typeof grpc.Client, _millrace_scheduler_v1_ScheduleServiceClient> & { service: _millrace_scheduler_v1_ScheduleServiceDefinition }
        SharedWorkers: MessageTypeDefinition<_millrace_scheduler_v1_SharedWorkers, _millrace_scheduler_v1_SharedWorkers__Output>
        TickFailure: MessageTypeDefinition<_millrace_scheduler_v1_TickFailure, _millrace_scheduler_v1_TickFailure__Output>
        UpdateQueueRequest: MessageTypeDefinition<_millrace_scheduler_v1_UpdateQueueRequest, _millrace_scheduler_v1_UpdateQueueRequest__Output>
        UpdateQueueResponse: MessageTypeDefinition<_millrace_scheduler_v1_UpdateQueueResponse, _millrace_scheduler_v1_UpdateQueueResponse__Output>
        UpdateScheduleRequest: MessageTypeDefinition<_millrace_scheduler_v1_UpdateScheduleRequest, _millrace_scheduler_v1_UpdateScheduleRequest__Output>
        UpdateScheduleResponse: MessageTypeDefinition<_millrace_scheduler_v1_UpdateScheduleResponse, _millrace_scheduler_v1_UpdateScheduleResponse__Output>
        Worker: MessageTypeDefinition<_millrace_scheduler_v1_Worker, _millrace_scheduler_v1_Worker__Output>
        WorkerCircuit: MessageTypeDefinition<_millrace_scheduler_v1_WorkerCircuit, _millrace_scheduler_v1_WorkerCircuit__Output>
        WorkerTotals: MessageTypeDefinition<_millrace_scheduler_v1_WorkerTotals, _millrace_scheduler_v1_WorkerTotals__Output>
      }
    }
  }
}

