// Original file: proto/scheduler/v1/scheduler.proto

import type * as grpc from '@grpc/grpc-js'
import type { MethodDefinition } from '@grpc/proto-loader'
import type { CancelRunRequest as _millrace_scheduler_v1_CancelRunRequest, CancelRunRequest__Output as _millrace_scheduler_v1_CancelRunRequest__Output } from '../../../millrace/scheduler/v1/CancelRunRequest.js';
import type { CancelRunResponse as _millrace_scheduler_v1_CancelRunResponse, CancelRunResponse__Output as _millrace_scheduler_v1_CancelRunResponse__Output } from '../../../millrace/scheduler/v1/CancelRunResponse.js';
import type { CountRunsRequest as _millrace_scheduler_v1_CountRunsRequest, CountRunsRequest__Output as _millrace_scheduler_v1_CountRunsRequest__Output } from '../../../millrace/scheduler/v1/CountRunsRequest.js';
import type { CountRunsResponse as _millrace_scheduler_v1_CountRunsResponse, CountRunsResponse__Output as _millrace_scheduler_v1_CountRunsResponse__Output } from '../../../millrace/scheduler/v1/CountRunsResponse.js';
import type { DecideApprovalRequest as _millrace_scheduler_v1_DecideApprovalRequest, DecideApprovalRequest__Output as _millrace_scheduler_v1_DecideApprovalRequest__Output } from '../../../millrace/scheduler/v1/DecideApprovalRequest.js';
import type { DecideApprovalResponse as _millrace_scheduler_v1_DecideApprovalResponse, DecideApprovalResponse__Output as _millrace_scheduler_v1_DecideApprovalResponse__Output } from '../../../millrace/scheduler/v1/DecideApprovalResponse.js';
import type { DeleteDeadLetterRequest as _millrace_scheduler_v1_DeleteDeadLetterRequest, DeleteDeadLetterRequest__Output as _millrace_scheduler_v1_DeleteDeadLetterRequest__Output } from '../../../millrace/scheduler/v1/DeleteDeadLetterRequest.js';
import type { DeleteDeadLetterResponse as _millrace_scheduler_v1_DeleteDeadLetterResponse, DeleteDeadLetterResponse__Output as _millrace_scheduler_v1_DeleteDeadLetterResponse__Output } from '../../../millrace/scheduler/v1/DeleteDeadLetterResponse.js';
import type { DeleteRunsRequest as _millrace_scheduler_v1_DeleteRunsRequest, DeleteRunsRequest__Output as _millrace_scheduler_v1_DeleteRunsRequest__Output } from '../../../millrace/scheduler/v1/DeleteRunsRequest.js';
import type { DeleteRunsResponse as _millrace_scheduler_v1_DeleteRunsResponse, DeleteRunsResponse__Output as _millrace_scheduler_v1_DeleteRunsResponse__Output } from '../../../millrace/scheduler/v1/DeleteRunsResponse.js';
import type { ExplainRunRequest as _millrace_scheduler_v1_ExplainRunRequest, ExplainRunRequest__Output as _millrace_scheduler_v1_ExplainRunRequest__Output } from '../../../millrace/scheduler/v1/ExplainRunRequest.js';
import type { ExplainRunResponse as _millrace_scheduler_v1_ExplainRunResponse, ExplainRunResponse__Output as _millrace_scheduler_v1_ExplainRunResponse__Output } from '../../../millrace/scheduler/v1/ExplainRunResponse.js';
import type { FindOutputUsersRequest as _millrace_scheduler_v1_FindOutputUsersRequest, FindOutputUsersRequest__Output as _millrace_scheduler_v1_FindOutputUsersRequest__Output } from '../../../millrace/scheduler/v1/FindOutputUsersRequest.js';
import type { FindOutputUsersResponse as _millrace_scheduler_v1_FindOutputUsersResponse, FindOutputUsersResponse__Output as _millrace_scheduler_v1_FindOutputUsersResponse__Output } from '../../../millrace/scheduler/v1/FindOutputUsersResponse.js';
import type { GetDeadLetterRequest as _millrace_scheduler_v1_GetDeadLetterRequest, GetDeadLetterRequest__Output as _millrace_scheduler_v1_GetDeadLetterRequest__Output } from '../../../millrace/scheduler/v1/GetDeadLetterRequest.js';
import type { GetDeadLetterResponse as _millrace_scheduler_v1_GetDeadLetterResponse, GetDeadLetterResponse__Output as _millrace_scheduler_v1_GetDeadLetterResponse__Output } from '../../../millrace/scheduler/v1/GetDeadLetterResponse.js';
import type { GetLineageRequest as _millrace_scheduler_v1_GetLineageRequest, GetLineageRequest__Output as _millrace_scheduler_v1_GetLineageRequest__Output } from '../../../millrace/scheduler/v1/GetLineageRequest.js';
import type { GetLineageResponse as _millrace_scheduler_v1_GetLineageResponse, GetLineageResponse__Output as _millrace_scheduler_v1_GetLineageResponse__Output } from '../../../millrace/scheduler/v1/GetLineageResponse.js';
import type { GetRunRequest as _millrace_scheduler_v1_GetRunRequest, GetRunRequest__Output as _millrace_scheduler_v1_GetRunRequest__Output } from '../../../millrace/scheduler/v1/GetRunRequest.js';
import type { GetRunResponse as _millrace_scheduler_v1_GetRunResponse, GetRunResponse__Output as _millrace_scheduler_v1_GetRunResponse__Output } from '../../../millrace/scheduler/v1/GetRunResponse.js';
import type { HoldsLeaseRequest as _millrace_scheduler_v1_HoldsLeaseRequest, HoldsLeaseRequest__Output as _millrace_scheduler_v1_HoldsLeaseRequest__Output } from '../../../millrace/scheduler/v1/HoldsLeaseRequest.js';
import type { HoldsLeaseResponse as _millrace_scheduler_v1_HoldsLeaseResponse, HoldsLeaseResponse__Output as _millrace_scheduler_v1_HoldsLeaseResponse__Output } from '../../../millrace/scheduler/v1/HoldsLeaseResponse.js';
import type { ListActivityRequest as _millrace_scheduler_v1_ListActivityRequest, ListActivityRequest__Output as _millrace_scheduler_v1_ListActivityRequest__Output } from '../../../millrace/scheduler/v1/ListActivityRequest.js';
import type { ListActivityResponse as _millrace_scheduler_v1_ListActivityResponse, ListActivityResponse__Output as _millrace_scheduler_v1_ListActivityResponse__Output } from '../../../millrace/scheduler/v1/ListActivityResponse.js';
import type { ListApprovalsRequest as _millrace_scheduler_v1_ListApprovalsRequest, ListApprovalsRequest__Output as _millrace_scheduler_v1_ListApprovalsRequest__Output } from '../../../millrace/scheduler/v1/ListApprovalsRequest.js';
import type { ListApprovalsResponse as _millrace_scheduler_v1_ListApprovalsResponse, ListApprovalsResponse__Output as _millrace_scheduler_v1_ListApprovalsResponse__Output } from '../../../millrace/scheduler/v1/ListApprovalsResponse.js';
import type { ListDeadLettersRequest as _millrace_scheduler_v1_ListDeadLettersRequest, ListDeadLettersRequest__Output as _millrace_scheduler_v1_ListDeadLettersRequest__Output } from '../../../millrace/scheduler/v1/ListDeadLettersRequest.js';
import type { ListDeadLettersResponse as _millrace_scheduler_v1_ListDeadLettersResponse, ListDeadLettersResponse__Output as _millrace_scheduler_v1_ListDeadLettersResponse__Output } from '../../../millrace/scheduler/v1/ListDeadLettersResponse.js';
import type { ListRunsRequest as _millrace_scheduler_v1_ListRunsRequest, ListRunsRequest__Output as _millrace_scheduler_v1_ListRunsRequest__Output } from '../../../millrace/scheduler/v1/ListRunsRequest.js';
import type { ListRunsResponse as _millrace_scheduler_v1_ListRunsResponse, ListRunsResponse__Output as _millrace_scheduler_v1_ListRunsResponse__Output } from '../../../millrace/scheduler/v1/ListRunsResponse.js';
import type { ListTasksRequest as _millrace_scheduler_v1_ListTasksRequest, ListTasksRequest__Output as _millrace_scheduler_v1_ListTasksRequest__Output } from '../../../millrace/scheduler/v1/ListTasksRequest.js';
import type { ListTasksResponse as _millrace_scheduler_v1_ListTasksResponse, ListTasksResponse__Output as _millrace_scheduler_v1_ListTasksResponse__Output } from '../../../millrace/scheduler/v1/ListTasksResponse.js';
import type { PauseRunRequest as _millrace_scheduler_v1_PauseRunRequest, PauseRunRequest__Output as _millrace_scheduler_v1_PauseRunRequest__Output } from '../../../millrace/scheduler/v1/PauseRunRequest.js';
import type { PauseRunResponse as _millrace_scheduler_v1_PauseRunResponse, PauseRunResponse__Output as _millrace_scheduler_v1_PauseRunResponse__Output } from '../../../millrace/scheduler/v1/PauseRunResponse.js';
import type { ReadChangedRequest as _millrace_scheduler_v1_ReadChangedRequest, ReadChangedRequest__Output as _millrace_scheduler_v1_ReadChangedRequest__Output } from '../../../millrace/scheduler/v1/ReadChangedRequest.js';
import type { ReadChangedResponse as _millrace_scheduler_v1_ReadChangedResponse, ReadChangedResponse__Output as _millrace_scheduler_v1_ReadChangedResponse__Output } from '../../../millrace/scheduler/v1/ReadChangedResponse.js';
import type { ResumeRunRequest as _millrace_scheduler_v1_ResumeRunRequest, ResumeRunRequest__Output as _millrace_scheduler_v1_ResumeRunRequest__Output } from '../../../millrace/scheduler/v1/ResumeRunRequest.js';
import type { ResumeRunResponse as _millrace_scheduler_v1_ResumeRunResponse, ResumeRunResponse__Output as _millrace_scheduler_v1_ResumeRunResponse__Output } from '../../../millrace/scheduler/v1/ResumeRunResponse.js';
import type { RetryDeadLetterRequest as _millrace_scheduler_v1_RetryDeadLetterRequest, RetryDeadLetterRequest__Output as _millrace_scheduler_v1_RetryDeadLetterRequest__Output } from '../../../millrace/scheduler/v1/RetryDeadLetterRequest.js';
import type { RetryDeadLetterResponse as _millrace_scheduler_v1_RetryDeadLetterResponse, RetryDeadLetterResponse__Output as _millrace_scheduler_v1_RetryDeadLetterResponse__Output } from '../../../millrace/scheduler/v1/RetryDeadLetterResponse.js';
import type { RetryRunRequest as _millrace_scheduler_v1_RetryRunRequest, RetryRunRequest__Output as _millrace_scheduler_v1_RetryRunRequest__Output } from '../../../millrace/scheduler/v1/RetryRunRequest.js';
import type { RetryRunResponse as _millrace_scheduler_v1_RetryRunResponse, RetryRunResponse__Output as _millrace_scheduler_v1_RetryRunResponse__Output } from '../../../millrace/scheduler/v1/RetryRunResponse.js';
import type { SendSignalRequest as _millrace_scheduler_v1_SendSignalRequest, SendSignalRequest__Output as _millrace_scheduler_v1_SendSignalRequest__Output } from '../../../millrace/scheduler/v1/SendSignalRequest.js';
import type { SendSignalResponse as _millrace_scheduler_v1_SendSignalResponse, SendSignalResponse__Output as _millrace_scheduler_v1_SendSignalResponse__Output } from '../../../millrace/scheduler/v1/SendSignalResponse.js';
import type { TakeRunsRequest as _millrace_scheduler_v1_TakeRunsRequest, TakeRunsRequest__Output as _millrace_scheduler_v1_TakeRunsRequest__Output } from '../../../millrace/scheduler/v1/TakeRunsRequest.js';
import type { TakeRunsResponse as _millrace_scheduler_v1_TakeRunsResponse, TakeRunsResponse__Output as _millrace_scheduler_v1_TakeRunsResponse__Output } from '../../../millrace/scheduler/v1/TakeRunsResponse.js';
import type { WatchRunRequest as _millrace_scheduler_v1_WatchRunRequest, WatchRunRequest__Output as _millrace_scheduler_v1_WatchRunRequest__Output } from '../../../millrace/scheduler/v1/WatchRunRequest.js';
import type { WatchRunResponse as _millrace_scheduler_v1_WatchRunResponse, WatchRunResponse__Output as _millrace_scheduler_v1_WatchRunResponse__Output } from '../../../millrace/scheduler/v1/WatchRunResponse.js';

/**
 * Internal listener; callers present a service identity and say for which project they act.
 */
export interface SchedulerInternalServiceClient extends grpc.Client {
  CancelRun(argument: _millrace_scheduler_v1_CancelRunRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_millrace_scheduler_v1_CancelRunResponse__Output>): grpc.ClientUnaryCall;
  CancelRun(argument: _millrace_scheduler_v1_CancelRunRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_millrace_scheduler_v1_CancelRunResponse__Output>): grpc.ClientUnaryCall;
  CancelRun(argument: _millrace_scheduler_v1_CancelRunRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_millrace_scheduler_v1_CancelRunResponse__Output>): grpc.ClientUnaryCall;
  CancelRun(argument: _millrace_scheduler_v1_CancelRunRequest, callback: grpc.requestCallback<_millrace_scheduler_v1_CancelRunResponse__Output>): grpc.ClientUnaryCall;
  cancelRun(argument: _millrace_scheduler_v1_CancelRunRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_millrace_scheduler_v1_CancelRunResponse__Output>): grpc.ClientUnaryCall;
  cancelRun(argument: _millrace_scheduler_v1_CancelRunRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_millrace_scheduler_v1_CancelRunResponse__Output>): grpc.ClientUnaryCall;
  cancelRun(argument: _millrace_scheduler_v1_CancelRunRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_millrace_scheduler_v1_CancelRunResponse__Output>): grpc.ClientUnaryCall;
  cancelRun(argument: _millrace_scheduler_v1_CancelRunRequest, callback: grpc.requestCallback<_millrace_scheduler_v1_CancelRunResponse__Output>): grpc.ClientUnaryCall;
  
  /**
   * How many runs there are, by status.
   */
  CountRuns(argument: _millrace_scheduler_v1_CountRunsRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_millrace_scheduler_v1_CountRunsResponse__Output>): grpc.ClientUnaryCall;
  CountRuns(argument: _millrace_scheduler_v1_CountRunsRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_millrace_scheduler_v1_CountRunsResponse__Output>): grpc.ClientUnaryCall;
  CountRuns(argument: _millrace_scheduler_v1_CountRunsRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_millrace_scheduler_v1_CountRunsResponse__Output>): grpc.ClientUnaryCall;
  CountRuns(argument: _millrace_scheduler_v1_CountRunsRequest, callback: grpc.requestCallback<_millrace_scheduler_v1_CountRunsResponse__Output>): grpc.ClientUnaryCall;
  /**
   * How many runs there are, by status.
   */
  countRuns(argument: _millrace_scheduler_v1_CountRunsRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_millrace_scheduler_v1_CountRunsResponse__Output>): grpc.ClientUnaryCall;
  countRuns(argument: _millrace_scheduler_v1_CountRunsRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_millrace_scheduler_v1_CountRunsResponse__Output>): grpc.ClientUnaryCall;
  countRuns(argument: _millrace_scheduler_v1_CountRunsRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_millrace_scheduler_v1_CountRunsResponse__Output>): grpc.ClientUnaryCall;
  countRuns(argument: _millrace_scheduler_v1_CountRunsRequest, callback: grpc.requestCallback<_millrace_scheduler_v1_CountRunsResponse__Output>): grpc.ClientUnaryCall;
  
  /**
   * A human step: approves or rejects a task that waits for it.
   */
  DecideApproval(argument: _millrace_scheduler_v1_DecideApprovalRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_millrace_scheduler_v1_DecideApprovalResponse__Output>): grpc.ClientUnaryCall;
  DecideApproval(argument: _millrace_scheduler_v1_DecideApprovalRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_millrace_scheduler_v1_DecideApprovalResponse__Output>): grpc.ClientUnaryCall;
  DecideApproval(argument: _millrace_scheduler_v1_DecideApprovalRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_millrace_scheduler_v1_DecideApprovalResponse__Output>): grpc.ClientUnaryCall;
  DecideApproval(argument: _millrace_scheduler_v1_DecideApprovalRequest, callback: grpc.requestCallback<_millrace_scheduler_v1_DecideApprovalResponse__Output>): grpc.ClientUnaryCall;
  /**
   * A human step: approves or rejects a task that waits for it.
   */
  decideApproval(argument: _millrace_scheduler_v1_DecideApprovalRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_millrace_scheduler_v1_DecideApprovalResponse__Output>): grpc.ClientUnaryCall;
  decideApproval(argument: _millrace_scheduler_v1_DecideApprovalRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_millrace_scheduler_v1_DecideApprovalResponse__Output>): grpc.ClientUnaryCall;
  decideApproval(argument: _millrace_scheduler_v1_DecideApprovalRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_millrace_scheduler_v1_DecideApprovalResponse__Output>): grpc.ClientUnaryCall;
  decideApproval(argument: _millrace_scheduler_v1_DecideApprovalRequest, callback: grpc.requestCallback<_millrace_scheduler_v1_DecideApprovalResponse__Output>): grpc.ClientUnaryCall;
  
  DeleteDeadLetter(argument: _millrace_scheduler_v1_DeleteDeadLetterRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_millrace_scheduler_v1_DeleteDeadLetterResponse__Output>): grpc.ClientUnaryCall;
  DeleteDeadLetter(argument: _millrace_scheduler_v1_DeleteDeadLetterRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_millrace_scheduler_v1_DeleteDeadLetterResponse__Output>): grpc.ClientUnaryCall;
  DeleteDeadLetter(argument: _millrace_scheduler_v1_DeleteDeadLetterRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_millrace_scheduler_v1_DeleteDeadLetterResponse__Output>): grpc.ClientUnaryCall;
  DeleteDeadLetter(argument: _millrace_scheduler_v1_DeleteDeadLetterRequest, callback: grpc.requestCallback<_millrace_scheduler_v1_DeleteDeadLetterResponse__Output>): grpc.ClientUnaryCall;
  deleteDeadLetter(argument: _millrace_scheduler_v1_DeleteDeadLetterRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_millrace_scheduler_v1_DeleteDeadLetterResponse__Output>): grpc.ClientUnaryCall;
  deleteDeadLetter(argument: _millrace_scheduler_v1_DeleteDeadLetterRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_millrace_scheduler_v1_DeleteDeadLetterResponse__Output>): grpc.ClientUnaryCall;
  deleteDeadLetter(argument: _millrace_scheduler_v1_DeleteDeadLetterRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_millrace_scheduler_v1_DeleteDeadLetterResponse__Output>): grpc.ClientUnaryCall;
  deleteDeadLetter(argument: _millrace_scheduler_v1_DeleteDeadLetterRequest, callback: grpc.requestCallback<_millrace_scheduler_v1_DeleteDeadLetterResponse__Output>): grpc.ClientUnaryCall;
  
  /**
   * Deletes runs that have ended; others are left as they are.
   */
  DeleteRuns(argument: _millrace_scheduler_v1_DeleteRunsRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_millrace_scheduler_v1_DeleteRunsResponse__Output>): grpc.ClientUnaryCall;
  DeleteRuns(argument: _millrace_scheduler_v1_DeleteRunsRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_millrace_scheduler_v1_DeleteRunsResponse__Output>): grpc.ClientUnaryCall;
  DeleteRuns(argument: _millrace_scheduler_v1_DeleteRunsRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_millrace_scheduler_v1_DeleteRunsResponse__Output>): grpc.ClientUnaryCall;
  DeleteRuns(argument: _millrace_scheduler_v1_DeleteRunsRequest, callback: grpc.requestCallback<_millrace_scheduler_v1_DeleteRunsResponse__Output>): grpc.ClientUnaryCall;
  /**
   * Deletes runs that have ended; others are left as they are.
   */
  deleteRuns(argument: _millrace_scheduler_v1_DeleteRunsRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_millrace_scheduler_v1_DeleteRunsResponse__Output>): grpc.ClientUnaryCall;
  deleteRuns(argument: _millrace_scheduler_v1_DeleteRunsRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_millrace_scheduler_v1_DeleteRunsResponse__Output>): grpc.ClientUnaryCall;
  deleteRuns(argument: _millrace_scheduler_v1_DeleteRunsRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_millrace_scheduler_v1_DeleteRunsResponse__Output>): grpc.ClientUnaryCall;
  deleteRuns(argument: _millrace_scheduler_v1_DeleteRunsRequest, callback: grpc.requestCallback<_millrace_scheduler_v1_DeleteRunsResponse__Output>): grpc.ClientUnaryCall;
  
  ExplainRun(argument: _millrace_scheduler_v1_ExplainRunRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_millrace_scheduler_v1_ExplainRunResponse__Output>): grpc.ClientUnaryCall;
  ExplainRun(argument: _millrace_scheduler_v1_ExplainRunRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_millrace_scheduler_v1_ExplainRunResponse__Output>): grpc.ClientUnaryCall;
  ExplainRun(argument: _millrace_scheduler_v1_ExplainRunRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_millrace_scheduler_v1_ExplainRunResponse__Output>): grpc.ClientUnaryCall;
  ExplainRun(argument: _millrace_scheduler_v1_ExplainRunRequest, callback: grpc.requestCallback<_millrace_scheduler_v1_ExplainRunResponse__Output>): grpc.ClientUnaryCall;
  explainRun(argument: _millrace_scheduler_v1_ExplainRunRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_millrace_scheduler_v1_ExplainRunResponse__Output>): grpc.ClientUnaryCall;
  explainRun(argument: _millrace_scheduler_v1_ExplainRunRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_millrace_scheduler_v1_ExplainRunResponse__Output>): grpc.ClientUnaryCall;
  explainRun(argument: _millrace_scheduler_v1_ExplainRunRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_millrace_scheduler_v1_ExplainRunResponse__Output>): grpc.ClientUnaryCall;
  explainRun(argument: _millrace_scheduler_v1_ExplainRunRequest, callback: grpc.requestCallback<_millrace_scheduler_v1_ExplainRunResponse__Output>): grpc.ClientUnaryCall;
  
  /**
   * Runs that still refer to artifacts as outputs of tasks: a rerun shares those of the run that it repeats.
   */
  FindOutputUsers(argument: _millrace_scheduler_v1_FindOutputUsersRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_millrace_scheduler_v1_FindOutputUsersResponse__Output>): grpc.ClientUnaryCall;
  FindOutputUsers(argument: _millrace_scheduler_v1_FindOutputUsersRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_millrace_scheduler_v1_FindOutputUsersResponse__Output>): grpc.ClientUnaryCall;
  FindOutputUsers(argument: _millrace_scheduler_v1_FindOutputUsersRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_millrace_scheduler_v1_FindOutputUsersResponse__Output>): grpc.ClientUnaryCall;
  FindOutputUsers(argument: _millrace_scheduler_v1_FindOutputUsersRequest, callback: grpc.requestCallback<_millrace_scheduler_v1_FindOutputUsersResponse__Output>): grpc.ClientUnaryCall;
  /**
   * Runs that still refer to artifacts as outputs of tasks: a rerun shares those of the run that it repeats.
   */
  findOutputUsers(argument: _millrace_scheduler_v1_FindOutputUsersRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_millrace_scheduler_v1_FindOutputUsersResponse__Output>): grpc.ClientUnaryCall;
  findOutputUsers(argument: _millrace_scheduler_v1_FindOutputUsersRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_millrace_scheduler_v1_FindOutputUsersResponse__Output>): grpc.ClientUnaryCall;
  findOutputUsers(argument: _millrace_scheduler_v1_FindOutputUsersRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_millrace_scheduler_v1_FindOutputUsersResponse__Output>): grpc.ClientUnaryCall;
  findOutputUsers(argument: _millrace_scheduler_v1_FindOutputUsersRequest, callback: grpc.requestCallback<_millrace_scheduler_v1_FindOutputUsersResponse__Output>): grpc.ClientUnaryCall;
  
  GetDeadLetter(argument: _millrace_scheduler_v1_GetDeadLetterRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_millrace_scheduler_v1_GetDeadLetterResponse__Output>): grpc.ClientUnaryCall;
  GetDeadLetter(argument: _millrace_scheduler_v1_GetDeadLetterRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_millrace_scheduler_v1_GetDeadLetterResponse__Output>): grpc.ClientUnaryCall;
  GetDeadLetter(argument: _millrace_scheduler_v1_GetDeadLetterRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_millrace_scheduler_v1_GetDeadLetterResponse__Output>): grpc.ClientUnaryCall;
  GetDeadLetter(argument: _millrace_scheduler_v1_GetDeadLetterRequest, callback: grpc.requestCallback<_millrace_scheduler_v1_GetDeadLetterResponse__Output>): grpc.ClientUnaryCall;
  getDeadLetter(argument: _millrace_scheduler_v1_GetDeadLetterRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_millrace_scheduler_v1_GetDeadLetterResponse__Output>): grpc.ClientUnaryCall;
  getDeadLetter(argument: _millrace_scheduler_v1_GetDeadLetterRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_millrace_scheduler_v1_GetDeadLetterResponse__Output>): grpc.ClientUnaryCall;
  getDeadLetter(argument: _millrace_scheduler_v1_GetDeadLetterRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_millrace_scheduler_v1_GetDeadLetterResponse__Output>): grpc.ClientUnaryCall;
  getDeadLetter(argument: _millrace_scheduler_v1_GetDeadLetterRequest, callback: grpc.requestCallback<_millrace_scheduler_v1_GetDeadLetterResponse__Output>): grpc.ClientUnaryCall;
  
  GetLineage(argument: _millrace_scheduler_v1_GetLineageRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_millrace_scheduler_v1_GetLineageResponse__Output>): grpc.ClientUnaryCall;
  GetLineage(argument: _millrace_scheduler_v1_GetLineageRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_millrace_scheduler_v1_GetLineageResponse__Output>): grpc.ClientUnaryCall;
  GetLineage(argument: _millrace_scheduler_v1_GetLineageRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_millrace_scheduler_v1_GetLineageResponse__Output>): grpc.ClientUnaryCall;
  GetLineage(argument: _millrace_scheduler_v1_GetLineageRequest, callback: grpc.requestCallback<_millrace_scheduler_v1_GetLineageResponse__Output>): grpc.ClientUnaryCall;
  getLineage(argument: _millrace_scheduler_v1_GetLineageRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_millrace_scheduler_v1_GetLineageResponse__Output>): grpc.ClientUnaryCall;
  getLineage(argument: _millrace_scheduler_v1_GetLineageRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_millrace_scheduler_v1_GetLineageResponse__Output>): grpc.ClientUnaryCall;
  getLineage(argument: _millrace_scheduler_v1_GetLineageRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_millrace_scheduler_v1_GetLineageResponse__Output>): grpc.ClientUnaryCall;
  getLineage(argument: _millrace_scheduler_v1_GetLineageRequest, callback: grpc.requestCallback<_millrace_scheduler_v1_GetLineageResponse__Output>): grpc.ClientUnaryCall;
  
  GetRun(argument: _millrace_scheduler_v1_GetRunRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_millrace_scheduler_v1_GetRunResponse__Output>): grpc.ClientUnaryCall;
  GetRun(argument: _millrace_scheduler_v1_GetRunRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_millrace_scheduler_v1_GetRunResponse__Output>): grpc.ClientUnaryCall;
  GetRun(argument: _millrace_scheduler_v1_GetRunRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_millrace_scheduler_v1_GetRunResponse__Output>): grpc.ClientUnaryCall;
  GetRun(argument: _millrace_scheduler_v1_GetRunRequest, callback: grpc.requestCallback<_millrace_scheduler_v1_GetRunResponse__Output>): grpc.ClientUnaryCall;
  getRun(argument: _millrace_scheduler_v1_GetRunRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_millrace_scheduler_v1_GetRunResponse__Output>): grpc.ClientUnaryCall;
  getRun(argument: _millrace_scheduler_v1_GetRunRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_millrace_scheduler_v1_GetRunResponse__Output>): grpc.ClientUnaryCall;
  getRun(argument: _millrace_scheduler_v1_GetRunRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_millrace_scheduler_v1_GetRunResponse__Output>): grpc.ClientUnaryCall;
  getRun(argument: _millrace_scheduler_v1_GetRunRequest, callback: grpc.requestCallback<_millrace_scheduler_v1_GetRunResponse__Output>): grpc.ClientUnaryCall;
  
  /**
   * Whether a worker session holds a live lease in a run: what lets a worker touch that run's artifacts.
   */
  HoldsLease(argument: _millrace_scheduler_v1_HoldsLeaseRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_millrace_scheduler_v1_HoldsLeaseResponse__Output>): grpc.ClientUnaryCall;
  HoldsLease(argument: _millrace_scheduler_v1_HoldsLeaseRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_millrace_scheduler_v1_HoldsLeaseResponse__Output>): grpc.ClientUnaryCall;
  HoldsLease(argument: _millrace_scheduler_v1_HoldsLeaseRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_millrace_scheduler_v1_HoldsLeaseResponse__Output>): grpc.ClientUnaryCall;
  HoldsLease(argument: _millrace_scheduler_v1_HoldsLeaseRequest, callback: grpc.requestCallback<_millrace_scheduler_v1_HoldsLeaseResponse__Output>): grpc.ClientUnaryCall;
  /**
   * Whether a worker session holds a live lease in a run: what lets a worker touch that run's artifacts.
   */
  holdsLease(argument: _millrace_scheduler_v1_HoldsLeaseRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_millrace_scheduler_v1_HoldsLeaseResponse__Output>): grpc.ClientUnaryCall;
  holdsLease(argument: _millrace_scheduler_v1_HoldsLeaseRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_millrace_scheduler_v1_HoldsLeaseResponse__Output>): grpc.ClientUnaryCall;
  holdsLease(argument: _millrace_scheduler_v1_HoldsLeaseRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_millrace_scheduler_v1_HoldsLeaseResponse__Output>): grpc.ClientUnaryCall;
  holdsLease(argument: _millrace_scheduler_v1_HoldsLeaseRequest, callback: grpc.requestCallback<_millrace_scheduler_v1_HoldsLeaseResponse__Output>): grpc.ClientUnaryCall;
  
  /**
   * What workflows did last.
   */
  ListActivity(argument: _millrace_scheduler_v1_ListActivityRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_millrace_scheduler_v1_ListActivityResponse__Output>): grpc.ClientUnaryCall;
  ListActivity(argument: _millrace_scheduler_v1_ListActivityRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_millrace_scheduler_v1_ListActivityResponse__Output>): grpc.ClientUnaryCall;
  ListActivity(argument: _millrace_scheduler_v1_ListActivityRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_millrace_scheduler_v1_ListActivityResponse__Output>): grpc.ClientUnaryCall;
  ListActivity(argument: _millrace_scheduler_v1_ListActivityRequest, callback: grpc.requestCallback<_millrace_scheduler_v1_ListActivityResponse__Output>): grpc.ClientUnaryCall;
  /**
   * What workflows did last.
   */
  listActivity(argument: _millrace_scheduler_v1_ListActivityRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_millrace_scheduler_v1_ListActivityResponse__Output>): grpc.ClientUnaryCall;
  listActivity(argument: _millrace_scheduler_v1_ListActivityRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_millrace_scheduler_v1_ListActivityResponse__Output>): grpc.ClientUnaryCall;
  listActivity(argument: _millrace_scheduler_v1_ListActivityRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_millrace_scheduler_v1_ListActivityResponse__Output>): grpc.ClientUnaryCall;
  listActivity(argument: _millrace_scheduler_v1_ListActivityRequest, callback: grpc.requestCallback<_millrace_scheduler_v1_ListActivityResponse__Output>): grpc.ClientUnaryCall;
  
  /**
   * Tasks that wait for a person's decision, oldest first.
   */
  ListApprovals(argument: _millrace_scheduler_v1_ListApprovalsRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_millrace_scheduler_v1_ListApprovalsResponse__Output>): grpc.ClientUnaryCall;
  ListApprovals(argument: _millrace_scheduler_v1_ListApprovalsRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_millrace_scheduler_v1_ListApprovalsResponse__Output>): grpc.ClientUnaryCall;
  ListApprovals(argument: _millrace_scheduler_v1_ListApprovalsRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_millrace_scheduler_v1_ListApprovalsResponse__Output>): grpc.ClientUnaryCall;
  ListApprovals(argument: _millrace_scheduler_v1_ListApprovalsRequest, callback: grpc.requestCallback<_millrace_scheduler_v1_ListApprovalsResponse__Output>): grpc.ClientUnaryCall;
  /**
   * Tasks that wait for a person's decision, oldest first.
   */
  listApprovals(argument: _millrace_scheduler_v1_ListApprovalsRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_millrace_scheduler_v1_ListApprovalsResponse__Output>): grpc.ClientUnaryCall;
  listApprovals(argument: _millrace_scheduler_v1_ListApprovalsRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_millrace_scheduler_v1_ListApprovalsResponse__Output>): grpc.ClientUnaryCall;
  listApprovals(argument: _millrace_scheduler_v1_ListApprovalsRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_millrace_scheduler_v1_ListApprovalsResponse__Output>): grpc.ClientUnaryCall;
  listApprovals(argument: _millrace_scheduler_v1_ListApprovalsRequest, callback: grpc.requestCallback<_millrace_scheduler_v1_ListApprovalsResponse__Output>): grpc.ClientUnaryCall;
  
  ListDeadLetters(argument: _millrace_scheduler_v1_ListDeadLettersRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_millrace_scheduler_v1_ListDeadLettersResponse__Output>): grpc.ClientUnaryCall;
  ListDeadLetters(argument: _millrace_scheduler_v1_ListDeadLettersRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_millrace_scheduler_v1_ListDeadLettersResponse__Output>): grpc.ClientUnaryCall;
  ListDeadLetters(argument: _millrace_scheduler_v1_ListDeadLettersRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_millrace_scheduler_v1_ListDeadLettersResponse__Output>): grpc.ClientUnaryCall;
  ListDeadLetters(argument: _millrace_scheduler_v1_ListDeadLettersRequest, callback: grpc.requestCallback<_millrace_scheduler_v1_ListDeadLettersResponse__Output>): grpc.ClientUnaryCall;
  listDeadLetters(argument: _millrace_scheduler_v1_ListDeadLettersRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_millrace_scheduler_v1_ListDeadLettersResponse__Output>): grpc.ClientUnaryCall;
  listDeadLetters(argument: _millrace_scheduler_v1_ListDeadLettersRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_millrace_scheduler_v1_ListDeadLettersResponse__Output>): grpc.ClientUnaryCall;
  listDeadLetters(argument: _millrace_scheduler_v1_ListDeadLettersRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_millrace_scheduler_v1_ListDeadLettersResponse__Output>): grpc.ClientUnaryCall;
  listDeadLetters(argument: _millrace_scheduler_v1_ListDeadLettersRequest, callback: grpc.requestCallback<_millrace_scheduler_v1_ListDeadLettersResponse__Output>): grpc.ClientUnaryCall;
  
  ListRuns(argument: _millrace_scheduler_v1_ListRunsRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_millrace_scheduler_v1_ListRunsResponse__Output>): grpc.ClientUnaryCall;
  ListRuns(argument: _millrace_scheduler_v1_ListRunsRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_millrace_scheduler_v1_ListRunsResponse__Output>): grpc.ClientUnaryCall;
  ListRuns(argument: _millrace_scheduler_v1_ListRunsRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_millrace_scheduler_v1_ListRunsResponse__Output>): grpc.ClientUnaryCall;
  ListRuns(argument: _millrace_scheduler_v1_ListRunsRequest, callback: grpc.requestCallback<_millrace_scheduler_v1_ListRunsResponse__Output>): grpc.ClientUnaryCall;
  listRuns(argument: _millrace_scheduler_v1_ListRunsRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_millrace_scheduler_v1_ListRunsResponse__Output>): grpc.ClientUnaryCall;
  listRuns(argument: _millrace_scheduler_v1_ListRunsRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_millrace_scheduler_v1_ListRunsResponse__Output>): grpc.ClientUnaryCall;
  listRuns(argument: _millrace_scheduler_v1_ListRunsRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_millrace_scheduler_v1_ListRunsResponse__Output>): grpc.ClientUnaryCall;
  listRuns(argument: _millrace_scheduler_v1_ListRunsRequest, callback: grpc.requestCallback<_millrace_scheduler_v1_ListRunsResponse__Output>): grpc.ClientUnaryCall;
  
  ListTasks(argument: _millrace_scheduler_v1_ListTasksRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_millrace_scheduler_v1_ListTasksResponse__Output>): grpc.ClientUnaryCall;
  ListTasks(argument: _millrace_scheduler_v1_ListTasksRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_millrace_scheduler_v1_ListTasksResponse__Output>): grpc.ClientUnaryCall;
  ListTasks(argument: _millrace_scheduler_v1_ListTasksRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_millrace_scheduler_v1_ListTasksResponse__Output>): grpc.ClientUnaryCall;
  ListTasks(argument: _millrace_scheduler_v1_ListTasksRequest, callback: grpc.requestCallback<_millrace_scheduler_v1_ListTasksResponse__Output>): grpc.ClientUnaryCall;
  listTasks(argument: _millrace_scheduler_v1_ListTasksRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_millrace_scheduler_v1_ListTasksResponse__Output>): grpc.ClientUnaryCall;
  listTasks(argument: _millrace_scheduler_v1_ListTasksRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_millrace_scheduler_v1_ListTasksResponse__Output>): grpc.ClientUnaryCall;
  listTasks(argument: _millrace_scheduler_v1_ListTasksRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_millrace_scheduler_v1_ListTasksResponse__Output>): grpc.ClientUnaryCall;
  listTasks(argument: _millrace_scheduler_v1_ListTasksRequest, callback: grpc.requestCallback<_millrace_scheduler_v1_ListTasksResponse__Output>): grpc.ClientUnaryCall;
  
  /**
   * No new leases and no retries; what runs goes on.
   */
  PauseRun(argument: _millrace_scheduler_v1_PauseRunRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_millrace_scheduler_v1_PauseRunResponse__Output>): grpc.ClientUnaryCall;
  PauseRun(argument: _millrace_scheduler_v1_PauseRunRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_millrace_scheduler_v1_PauseRunResponse__Output>): grpc.ClientUnaryCall;
  PauseRun(argument: _millrace_scheduler_v1_PauseRunRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_millrace_scheduler_v1_PauseRunResponse__Output>): grpc.ClientUnaryCall;
  PauseRun(argument: _millrace_scheduler_v1_PauseRunRequest, callback: grpc.requestCallback<_millrace_scheduler_v1_PauseRunResponse__Output>): grpc.ClientUnaryCall;
  /**
   * No new leases and no retries; what runs goes on.
   */
  pauseRun(argument: _millrace_scheduler_v1_PauseRunRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_millrace_scheduler_v1_PauseRunResponse__Output>): grpc.ClientUnaryCall;
  pauseRun(argument: _millrace_scheduler_v1_PauseRunRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_millrace_scheduler_v1_PauseRunResponse__Output>): grpc.ClientUnaryCall;
  pauseRun(argument: _millrace_scheduler_v1_PauseRunRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_millrace_scheduler_v1_PauseRunResponse__Output>): grpc.ClientUnaryCall;
  pauseRun(argument: _millrace_scheduler_v1_PauseRunRequest, callback: grpc.requestCallback<_millrace_scheduler_v1_PauseRunResponse__Output>): grpc.ClientUnaryCall;
  
  /**
   * Runs and tasks as they are now, each in a message of its own; what does not exist is left out.
   */
  ReadChanged(argument: _millrace_scheduler_v1_ReadChangedRequest, metadata: grpc.Metadata, options?: grpc.CallOptions): grpc.ClientReadableStream<_millrace_scheduler_v1_ReadChangedResponse__Output>;
  ReadChanged(argument: _millrace_scheduler_v1_ReadChangedRequest, options?: grpc.CallOptions): grpc.ClientReadableStream<_millrace_scheduler_v1_ReadChangedResponse__Output>;
  /**
   * Runs and tasks as they are now, each in a message of its own; what does not exist is left out.
   */
  readChanged(argument: _millrace_scheduler_v1_ReadChangedRequest, metadata: grpc.Metadata, options?: grpc.CallOptions): grpc.ClientReadableStream<_millrace_scheduler_v1_ReadChangedResponse__Output>;
  readChanged(argument: _millrace_scheduler_v1_ReadChangedRequest, options?: grpc.CallOptions): grpc.ClientReadableStream<_millrace_scheduler_v1_ReadChangedResponse__Output>;
  
  /**
   * Also starts a run that was submitted on hold.
   */
  ResumeRun(argument: _millrace_scheduler_v1_ResumeRunRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_millrace_scheduler_v1_ResumeRunResponse__Output>): grpc.ClientUnaryCall;
  ResumeRun(argument: _millrace_scheduler_v1_ResumeRunRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_millrace_scheduler_v1_ResumeRunResponse__Output>): grpc.ClientUnaryCall;
  ResumeRun(argument: _millrace_scheduler_v1_ResumeRunRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_millrace_scheduler_v1_ResumeRunResponse__Output>): grpc.ClientUnaryCall;
  ResumeRun(argument: _millrace_scheduler_v1_ResumeRunRequest, callback: grpc.requestCallback<_millrace_scheduler_v1_ResumeRunResponse__Output>): grpc.ClientUnaryCall;
  /**
   * Also starts a run that was submitted on hold.
   */
  resumeRun(argument: _millrace_scheduler_v1_ResumeRunRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_millrace_scheduler_v1_ResumeRunResponse__Output>): grpc.ClientUnaryCall;
  resumeRun(argument: _millrace_scheduler_v1_ResumeRunRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_millrace_scheduler_v1_ResumeRunResponse__Output>): grpc.ClientUnaryCall;
  resumeRun(argument: _millrace_scheduler_v1_ResumeRunRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_millrace_scheduler_v1_ResumeRunResponse__Output>): grpc.ClientUnaryCall;
  resumeRun(argument: _millrace_scheduler_v1_ResumeRunRequest, callback: grpc.requestCallback<_millrace_scheduler_v1_ResumeRunResponse__Output>): grpc.ClientUnaryCall;
  
  /**
   * Reopens the dead letter's run at the failed task. A dead letter can be retried once.
   */
  RetryDeadLetter(argument: _millrace_scheduler_v1_RetryDeadLetterRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_millrace_scheduler_v1_RetryDeadLetterResponse__Output>): grpc.ClientUnaryCall;
  RetryDeadLetter(argument: _millrace_scheduler_v1_RetryDeadLetterRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_millrace_scheduler_v1_RetryDeadLetterResponse__Output>): grpc.ClientUnaryCall;
  RetryDeadLetter(argument: _millrace_scheduler_v1_RetryDeadLetterRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_millrace_scheduler_v1_RetryDeadLetterResponse__Output>): grpc.ClientUnaryCall;
  RetryDeadLetter(argument: _millrace_scheduler_v1_RetryDeadLetterRequest, callback: grpc.requestCallback<_millrace_scheduler_v1_RetryDeadLetterResponse__Output>): grpc.ClientUnaryCall;
  /**
   * Reopens the dead letter's run at the failed task. A dead letter can be retried once.
   */
  retryDeadLetter(argument: _millrace_scheduler_v1_RetryDeadLetterRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_millrace_scheduler_v1_RetryDeadLetterResponse__Output>): grpc.ClientUnaryCall;
  retryDeadLetter(argument: _millrace_scheduler_v1_RetryDeadLetterRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_millrace_scheduler_v1_RetryDeadLetterResponse__Output>): grpc.ClientUnaryCall;
  retryDeadLetter(argument: _millrace_scheduler_v1_RetryDeadLetterRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_millrace_scheduler_v1_RetryDeadLetterResponse__Output>): grpc.ClientUnaryCall;
  retryDeadLetter(argument: _millrace_scheduler_v1_RetryDeadLetterRequest, callback: grpc.requestCallback<_millrace_scheduler_v1_RetryDeadLetterResponse__Output>): grpc.ClientUnaryCall;
  
  /**
   * Failed tasks again, in the same run.
   */
  RetryRun(argument: _millrace_scheduler_v1_RetryRunRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_millrace_scheduler_v1_RetryRunResponse__Output>): grpc.ClientUnaryCall;
  RetryRun(argument: _millrace_scheduler_v1_RetryRunRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_millrace_scheduler_v1_RetryRunResponse__Output>): grpc.ClientUnaryCall;
  RetryRun(argument: _millrace_scheduler_v1_RetryRunRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_millrace_scheduler_v1_RetryRunResponse__Output>): grpc.ClientUnaryCall;
  RetryRun(argument: _millrace_scheduler_v1_RetryRunRequest, callback: grpc.requestCallback<_millrace_scheduler_v1_RetryRunResponse__Output>): grpc.ClientUnaryCall;
  /**
   * Failed tasks again, in the same run.
   */
  retryRun(argument: _millrace_scheduler_v1_RetryRunRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_millrace_scheduler_v1_RetryRunResponse__Output>): grpc.ClientUnaryCall;
  retryRun(argument: _millrace_scheduler_v1_RetryRunRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_millrace_scheduler_v1_RetryRunResponse__Output>): grpc.ClientUnaryCall;
  retryRun(argument: _millrace_scheduler_v1_RetryRunRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_millrace_scheduler_v1_RetryRunResponse__Output>): grpc.ClientUnaryCall;
  retryRun(argument: _millrace_scheduler_v1_RetryRunRequest, callback: grpc.requestCallback<_millrace_scheduler_v1_RetryRunResponse__Output>): grpc.ClientUnaryCall;
  
  /**
   * An outside event. One that comes early is kept until a task asks for it.
   */
  SendSignal(argument: _millrace_scheduler_v1_SendSignalRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_millrace_scheduler_v1_SendSignalResponse__Output>): grpc.ClientUnaryCall;
  SendSignal(argument: _millrace_scheduler_v1_SendSignalRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_millrace_scheduler_v1_SendSignalResponse__Output>): grpc.ClientUnaryCall;
  SendSignal(argument: _millrace_scheduler_v1_SendSignalRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_millrace_scheduler_v1_SendSignalResponse__Output>): grpc.ClientUnaryCall;
  SendSignal(argument: _millrace_scheduler_v1_SendSignalRequest, callback: grpc.requestCallback<_millrace_scheduler_v1_SendSignalResponse__Output>): grpc.ClientUnaryCall;
  /**
   * An outside event. One that comes early is kept until a task asks for it.
   */
  sendSignal(argument: _millrace_scheduler_v1_SendSignalRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_millrace_scheduler_v1_SendSignalResponse__Output>): grpc.ClientUnaryCall;
  sendSignal(argument: _millrace_scheduler_v1_SendSignalRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_millrace_scheduler_v1_SendSignalResponse__Output>): grpc.ClientUnaryCall;
  sendSignal(argument: _millrace_scheduler_v1_SendSignalRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_millrace_scheduler_v1_SendSignalResponse__Output>): grpc.ClientUnaryCall;
  sendSignal(argument: _millrace_scheduler_v1_SendSignalRequest, callback: grpc.requestCallback<_millrace_scheduler_v1_SendSignalResponse__Output>): grpc.ClientUnaryCall;
  
  /**
   * Creates runs whose `workflow.started` is committed, sooner than the event arrives. The event stands behind it.
   */
  TakeRuns(argument: _millrace_scheduler_v1_TakeRunsRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_millrace_scheduler_v1_TakeRunsResponse__Output>): grpc.ClientUnaryCall;
  TakeRuns(argument: _millrace_scheduler_v1_TakeRunsRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_millrace_scheduler_v1_TakeRunsResponse__Output>): grpc.ClientUnaryCall;
  TakeRuns(argument: _millrace_scheduler_v1_TakeRunsRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_millrace_scheduler_v1_TakeRunsResponse__Output>): grpc.ClientUnaryCall;
  TakeRuns(argument: _millrace_scheduler_v1_TakeRunsRequest, callback: grpc.requestCallback<_millrace_scheduler_v1_TakeRunsResponse__Output>): grpc.ClientUnaryCall;
  /**
   * Creates runs whose `workflow.started` is committed, sooner than the event arrives. The event stands behind it.
   */
  takeRuns(argument: _millrace_scheduler_v1_TakeRunsRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_millrace_scheduler_v1_TakeRunsResponse__Output>): grpc.ClientUnaryCall;
  takeRuns(argument: _millrace_scheduler_v1_TakeRunsRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_millrace_scheduler_v1_TakeRunsResponse__Output>): grpc.ClientUnaryCall;
  takeRuns(argument: _millrace_scheduler_v1_TakeRunsRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_millrace_scheduler_v1_TakeRunsResponse__Output>): grpc.ClientUnaryCall;
  takeRuns(argument: _millrace_scheduler_v1_TakeRunsRequest, callback: grpc.requestCallback<_millrace_scheduler_v1_TakeRunsResponse__Output>): grpc.ClientUnaryCall;
  
  WatchRun(argument: _millrace_scheduler_v1_WatchRunRequest, metadata: grpc.Metadata, options?: grpc.CallOptions): grpc.ClientReadableStream<_millrace_scheduler_v1_WatchRunResponse__Output>;
  WatchRun(argument: _millrace_scheduler_v1_WatchRunRequest, options?: grpc.CallOptions): grpc.ClientReadableStream<_millrace_scheduler_v1_WatchRunResponse__Output>;
  watchRun(argument: _millrace_scheduler_v1_WatchRunRequest, metadata: grpc.Metadata, options?: grpc.CallOptions): grpc.ClientReadableStream<_millrace_scheduler_v1_WatchRunResponse__Output>;
  watchRun(argument: _millrace_scheduler_v1_WatchRunRequest, options?: grpc.CallOptions): grpc.ClientReadableStream<_millrace_scheduler_v1_WatchRunResponse__Output>;
  
}

/**
 * Internal listener; callers present a service identity and say for which project they act.
 */
export interface SchedulerInternalServiceHandlers extends grpc.UntypedServiceImplementation {
  CancelRun: grpc.handleUnaryCall<_millrace_scheduler_v1_CancelRunRequest__Output, _millrace_scheduler_v1_CancelRunResponse>;
  
  /**
   * How many runs there are, by status.
   */
  CountRuns: grpc.handleUnaryCall<_millrace_scheduler_v1_CountRunsRequest__Output, _millrace_scheduler_v1_CountRunsResponse>;
  
  /**
   * A human step: approves or rejects a task that waits for it.
   */
  DecideApproval: grpc.handleUnaryCall<_millrace_scheduler_v1_DecideApprovalRequest__Output, _millrace_scheduler_v1_DecideApprovalResponse>;
  
  DeleteDeadLetter: grpc.handleUnaryCall<_millrace_scheduler_v1_DeleteDeadLetterRequest__Output, _millrace_scheduler_v1_DeleteDeadLetterResponse>;
  
  /**
   * Deletes runs that have ended; others are left as they are.
   */
  DeleteRuns: grpc.handleUnaryCall<_millrace_scheduler_v1_DeleteRunsRequest__Output, _millrace_scheduler_v1_DeleteRunsResponse>;
  
  ExplainRun: grpc.handleUnaryCall<_millrace_scheduler_v1_ExplainRunRequest__Output, _millrace_scheduler_v1_ExplainRunResponse>;
  
  /**
   * Runs that still refer to artifacts as outputs of tasks: a rerun shares those of the run that it repeats.
   */
  FindOutputUsers: grpc.handleUnaryCall<_millrace_scheduler_v1_FindOutputUsersRequest__Output, _millrace_scheduler_v1_FindOutputUsersResponse>;
  
  GetDeadLetter: grpc.handleUnaryCall<_millrace_scheduler_v1_GetDeadLetterRequest__Output, _millrace_scheduler_v1_GetDeadLetterResponse>;
  
  GetLineage: grpc.handleUnaryCall<_millrace_scheduler_v1_GetLineageRequest__Output, _millrace_scheduler_v1_GetLineageResponse>;
  
  GetRun: grpc.handleUnaryCall<_millrace_scheduler_v1_GetRunRequest__Output, _millrace_scheduler_v1_GetRunResponse>;
  
  /**
   * Whether a worker session holds a live lease in a run: what lets a worker touch that run's artifacts.
   */
  HoldsLease: grpc.handleUnaryCall<_millrace_scheduler_v1_HoldsLeaseRequest__Output, _millrace_scheduler_v1_HoldsLeaseResponse>;
  
  /**
   * What workflows did last.
   */
  ListActivity: grpc.handleUnaryCall<_millrace_scheduler_v1_ListActivityRequest__Output, _millrace_scheduler_v1_ListActivityResponse>;
  
  /**
   * Tasks that wait for a person's decision, oldest first.
   */
  ListApprovals: grpc.handleUnaryCall<_millrace_scheduler_v1_ListApprovalsRequest__Output, _millrace_scheduler_v1_ListApprovalsResponse>;
  
  ListDeadLetters: grpc.handleUnaryCall<_millrace_scheduler_v1_ListDeadLettersRequest__Output, _millrace_scheduler_v1_ListDeadLettersResponse>;
  
  ListRuns: grpc.handleUnaryCall<_millrace_scheduler_v1_ListRunsRequest__Output, _millrace_scheduler_v1_ListRunsResponse>;
  
  ListTasks: grpc.handleUnaryCall<_millrace_scheduler_v1_ListTasksRequest__Output, _millrace_scheduler_v1_ListTasksResponse>;
  
  /**
   * No new leases and no retries; what runs goes on.
   */
  PauseRun: grpc.handleUnaryCall<_millrace_scheduler_v1_PauseRunRequest__Output, _millrace_scheduler_v1_PauseRunResponse>;
  
  /**
   * Runs and tasks as they are now, each in a message of its own; what does not exist is left out.
   */
  ReadChanged: grpc.handleServerStreamingCall<_millrace_scheduler_v1_ReadChangedRequest__Output, _millrace_scheduler_v1_ReadChangedResponse>;
  
  /**
   * Also starts a run that was submitted on hold.
   */
  ResumeRun: grpc.handleUnaryCall<_millrace_scheduler_v1_ResumeRunRequest__Output, _millrace_scheduler_v1_ResumeRunResponse>;
  
  /**
   * Reopens the dead letter's run at the failed task. A dead letter can be retried once.
   */
  RetryDeadLetter: grpc.handleUnaryCall<_millrace_scheduler_v1_RetryDeadLetterRequest__Output, _millrace_scheduler_v1_RetryDeadLetterResponse>;
  
  /**
   * Failed tasks again, in the same run.
   */
  RetryRun: grpc.handleUnaryCall<_millrace_scheduler_v1_RetryRunRequest__Output, _millrace_scheduler_v1_RetryRunResponse>;
  
  /**
   * An outside event. One that comes early is kept until a task asks for it.
   */
  SendSignal: grpc.handleUnaryCall<_millrace_scheduler_v1_SendSignalRequest__Output, _millrace_scheduler_v1_SendSignalResponse>;
  
  /**
   * Creates runs whose `workflow.started` is committed, sooner than the event arrives. The event stands behind it.
   */
  TakeRuns: grpc.handleUnaryCall<_millrace_scheduler_v1_TakeRunsRequest__Output, _millrace_scheduler_v1_TakeRunsResponse>;
  
  WatchRun: grpc.handleServerStreamingCall<_millrace_scheduler_v1_WatchRunRequest__Output, _millrace_scheduler_v1_WatchRunResponse>;
  
}

export interface SchedulerInternalServiceDefinition extends grpc.ServiceDefinition {
  CancelRun: MethodDefinition<_millrace_scheduler_v1_CancelRunRequest, _millrace_scheduler_v1_CancelRunResponse, _millrace_scheduler_v1_CancelRunRequest__Output, _millrace_scheduler_v1_CancelRunResponse__Output>
  CountRuns: MethodDefinition<_millrace_scheduler_v1_CountRunsRequest, _millrace_scheduler_v1_CountRunsResponse, _millrace_scheduler_v1_CountRunsRequest__Output, _millrace_scheduler_v1_CountRunsResponse__Output>
  DecideApproval: MethodDefinition<_millrace_scheduler_v1_DecideApprovalRequest, _millrace_scheduler_v1_DecideApprovalResponse, _millrace_scheduler_v1_DecideApprovalRequest__Output, _millrace_scheduler_v1_DecideApprovalResponse__Output>
  DeleteDeadLetter: MethodDefinition<_millrace_scheduler_v1_DeleteDeadLetterRequest, _millrace_scheduler_v1_DeleteDeadLetterResponse, _millrace_scheduler_v1_DeleteDeadLetterRequest__Output, _millrace_scheduler_v1_DeleteDeadLetterResponse__Output>
  DeleteRuns: MethodDefinition<_millrace_scheduler_v1_DeleteRunsRequest, _millrace_scheduler_v1_DeleteRunsResponse, _millrace_scheduler_v1_DeleteRunsRequest__Output, _millrace_scheduler_v1_DeleteRunsResponse__Output>
  ExplainRun: MethodDefinition<_millrace_scheduler_v1_ExplainRunRequest, _millrace_scheduler_v1_ExplainRunResponse, _millrace_scheduler_v1_ExplainRunRequest__Output, _millrace_scheduler_v1_ExplainRunResponse__Output>
  FindOutputUsers: MethodDefinition<_millrace_scheduler_v1_FindOutputUsersRequest, _millrace_scheduler_v1_FindOutputUsersResponse, _millrace_scheduler_v1_FindOutputUsersRequest__Output, _millrace_scheduler_v1_FindOutputUsersResponse__Output>
  GetDeadLetter: MethodDefinition<_millrace_scheduler_v1_GetDeadLetterRequest, _millrace_scheduler_v1_GetDeadLetterResponse, _millrace_scheduler_v1_GetDeadLetterRequest__Output, _millrace_scheduler_v1_GetDeadLetterResponse__Output>
  GetLineage: MethodDefinition<_millrace_scheduler_v1_GetLineageRequest, _millrace_scheduler_v1_GetLineageResponse, _millrace_scheduler_v1_GetLineageRequest__Output, _millrace_scheduler_v1_GetLineageResponse__Output>
  GetRun: MethodDefinition<_millrace_scheduler_v1_GetRunRequest, _millrace_scheduler_v1_GetRunResponse, _millrace_scheduler_v1_GetRunRequest__Output, _millrace_scheduler_v1_GetRunResponse__Output>
  HoldsLease: MethodDefinition<_millrace_scheduler_v1_HoldsLeaseRequest, _millrace_scheduler_v1_HoldsLeaseResponse, _millrace_scheduler_v1_HoldsLeaseRequest__Output, _millrace_scheduler_v1_HoldsLeaseResponse__Output>
  ListActivity: MethodDefinition<_millrace_scheduler_v1_ListActivityRequest, _millrace_scheduler_v1_ListActivityResponse, _millrace_scheduler_v1_ListActivityRequest__Output, _millrace_scheduler_v1_ListActivityResponse__Output>
  ListApprovals: MethodDefinition<_millrace_scheduler_v1_ListApprovalsRequest, _millrace_scheduler_v1_ListApprovalsResponse, _millrace_scheduler_v1_ListApprovalsRequest__Output, _millrace_scheduler_v1_ListApprovalsResponse__Output>
  ListDeadLetters: MethodDefinition<_millrace_scheduler_v1_ListDeadLettersRequest, _millrace_scheduler_v1_ListDeadLettersResponse, _millrace_scheduler_v1_ListDeadLettersRequest__Output, _millrace_scheduler_v1_ListDeadLettersResponse__Output>
  ListRuns: MethodDefinition<_millrace_scheduler_v1_ListRunsRequest, _millrace_scheduler_v1_ListRunsResponse, _millrace_scheduler_v1_ListRunsRequest__Output, _millrace_scheduler_v1_ListRunsResponse__Output>
  ListTasks: MethodDefinition<_millrace_scheduler_v1_ListTasksRequest, _millrace_scheduler_v1_ListTasksResponse, _millrace_scheduler_v1_ListTasksRequest__Output, _millrace_scheduler_v1_ListTasksResponse__Output>
  PauseRun: MethodDefinition<_millrace_scheduler_v1_PauseRunRequest, _millrace_scheduler_v1_PauseRunResponse, _millrace_scheduler_v1_PauseRunRequest__Output, _millrace_scheduler_v1_PauseRunResponse__Output>
  ReadChanged: MethodDefinition<_millrace_scheduler_v1_ReadChangedRequest, _millrace_scheduler_v1_ReadChangedResponse, _millrace_scheduler_v1_ReadChangedRequest__Output, _millrace_scheduler_v1_ReadChangedResponse__Output>
  ResumeRun: MethodDefinition<_millrace_scheduler_v1_ResumeRunRequest, _millrace_scheduler_v1_ResumeRunResponse, _millrace_scheduler_v1_ResumeRunRequest__Output, _millrace_scheduler_v1_ResumeRunResponse__Output>
  RetryDeadLetter: MethodDefinition<_millrace_scheduler_v1_RetryDeadLetterRequest, _millrace_scheduler_v1_RetryDeadLetterResponse, _millrace_scheduler_v1_RetryDeadLetterRequest__Output, _millrace_scheduler_v1_RetryDeadLetterResponse__Output>
  RetryRun: MethodDefinition<_millrace_scheduler_v1_RetryRunRequest, _millrace_scheduler_v1_RetryRunResponse, _millrace_scheduler_v1_RetryRunRequest__Output, _millrace_scheduler_v1_RetryRunResponse__Output>
  SendSignal: MethodDefinition<_millrace_scheduler_v1_SendSignalRequest, _millrace_scheduler_v1_SendSignalResponse, _millrace_scheduler_v1_SendSignalRequest__Output, _millrace_scheduler_v1_SendSignalResponse__Output>
  TakeRuns: MethodDefinition<_millrace_scheduler_v1_TakeRunsRequest, _millrace_scheduler_v1_TakeRunsResponse, _millrace_scheduler_v1_TakeRunsRequest__Output, _millrace_scheduler_v1_TakeRunsResponse__Output>
  WatchRun: MethodDefinition<_millrace_scheduler_v1_WatchRunRequest, _millrace_scheduler_v1_WatchRunResponse, _millrace_scheduler_v1_WatchRunRequest__Output, _millrace_scheduler_v1_WatchRunResponse__Output>
}
