// Original file: proto/scheduler/v1/schedule.proto

import type * as grpc from '@grpc/grpc-js'
import type { MethodDefinition } from '@grpc/proto-loader'
import type { BackfillScheduleRequest as _millrace_scheduler_v1_BackfillScheduleRequest, BackfillScheduleRequest__Output as _millrace_scheduler_v1_BackfillScheduleRequest__Output } from '../../../millrace/scheduler/v1/BackfillScheduleRequest.js';
import type { BackfillScheduleResponse as _millrace_scheduler_v1_BackfillScheduleResponse, BackfillScheduleResponse__Output as _millrace_scheduler_v1_BackfillScheduleResponse__Output } from '../../../millrace/scheduler/v1/BackfillScheduleResponse.js';
import type { CountSchedulesRequest as _millrace_scheduler_v1_CountSchedulesRequest, CountSchedulesRequest__Output as _millrace_scheduler_v1_CountSchedulesRequest__Output } from '../../../millrace/scheduler/v1/CountSchedulesRequest.js';
import type { CountSchedulesResponse as _millrace_scheduler_v1_CountSchedulesResponse, CountSchedulesResponse__Output as _millrace_scheduler_v1_CountSchedulesResponse__Output } from '../../../millrace/scheduler/v1/CountSchedulesResponse.js';
import type { CreateScheduleRequest as _millrace_scheduler_v1_CreateScheduleRequest, CreateScheduleRequest__Output as _millrace_scheduler_v1_CreateScheduleRequest__Output } from '../../../millrace/scheduler/v1/CreateScheduleRequest.js';
import type { CreateScheduleResponse as _millrace_scheduler_v1_CreateScheduleResponse, CreateScheduleResponse__Output as _millrace_scheduler_v1_CreateScheduleResponse__Output } from '../../../millrace/scheduler/v1/CreateScheduleResponse.js';
import type { DeleteScheduleRequest as _millrace_scheduler_v1_DeleteScheduleRequest, DeleteScheduleRequest__Output as _millrace_scheduler_v1_DeleteScheduleRequest__Output } from '../../../millrace/scheduler/v1/DeleteScheduleRequest.js';
import type { DeleteScheduleResponse as _millrace_scheduler_v1_DeleteScheduleResponse, DeleteScheduleResponse__Output as _millrace_scheduler_v1_DeleteScheduleResponse__Output } from '../../../millrace/scheduler/v1/DeleteScheduleResponse.js';
import type { GetScheduleRequest as _millrace_scheduler_v1_GetScheduleRequest, GetScheduleRequest__Output as _millrace_scheduler_v1_GetScheduleRequest__Output } from '../../../millrace/scheduler/v1/GetScheduleRequest.js';
import type { GetScheduleResponse as _millrace_scheduler_v1_GetScheduleResponse, GetScheduleResponse__Output as _millrace_scheduler_v1_GetScheduleResponse__Output } from '../../../millrace/scheduler/v1/GetScheduleResponse.js';
import type { ListSchedulesRequest as _millrace_scheduler_v1_ListSchedulesRequest, ListSchedulesRequest__Output as _millrace_scheduler_v1_ListSchedulesRequest__Output } from '../../../millrace/scheduler/v1/ListSchedulesRequest.js';
import type { ListSchedulesResponse as _millrace_scheduler_v1_ListSchedulesResponse, ListSchedulesResponse__Output as _millrace_scheduler_v1_ListSchedulesResponse__Output } from '../../../millrace/scheduler/v1/ListSchedulesResponse.js';
import type { NextTicksRequest as _millrace_scheduler_v1_NextTicksRequest, NextTicksRequest__Output as _millrace_scheduler_v1_NextTicksRequest__Output } from '../../../millrace/scheduler/v1/NextTicksRequest.js';
import type { NextTicksResponse as _millrace_scheduler_v1_NextTicksResponse, NextTicksResponse__Output as _millrace_scheduler_v1_NextTicksResponse__Output } from '../../../millrace/scheduler/v1/NextTicksResponse.js';
import type { PreviewBackfillRequest as _millrace_scheduler_v1_PreviewBackfillRequest, PreviewBackfillRequest__Output as _millrace_scheduler_v1_PreviewBackfillRequest__Output } from '../../../millrace/scheduler/v1/PreviewBackfillRequest.js';
import type { PreviewBackfillResponse as _millrace_scheduler_v1_PreviewBackfillResponse, PreviewBackfillResponse__Output as _millrace_scheduler_v1_PreviewBackfillResponse__Output } from '../../../millrace/scheduler/v1/PreviewBackfillResponse.js';
import type { UpdateScheduleRequest as _millrace_scheduler_v1_UpdateScheduleRequest, UpdateScheduleRequest__Output as _millrace_scheduler_v1_UpdateScheduleRequest__Output } from '../../../millrace/scheduler/v1/UpdateScheduleRequest.js';
import type { UpdateScheduleResponse as _millrace_scheduler_v1_UpdateScheduleResponse, UpdateScheduleResponse__Output as _millrace_scheduler_v1_UpdateScheduleResponse__Output } from '../../../millrace/scheduler/v1/UpdateScheduleResponse.js';

/**
 * Internal listener; callers present a service identity and say for which project they act.
 * The scheduler owns schedules; the workflow service is their public face and has checked workflow and input.
 */
export interface ScheduleServiceClient extends grpc.Client {
  /**
   * One run for each tick of [from, to) that lies in the past and has none yet.
   */
  BackfillSchedule(argument: _millrace_scheduler_v1_BackfillScheduleRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_millrace_scheduler_v1_BackfillScheduleResponse__Output>): grpc.ClientUnaryCall;
  BackfillSchedule(argument: _millrace_scheduler_v1_BackfillScheduleRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_millrace_scheduler_v1_BackfillScheduleResponse__Output>): grpc.ClientUnaryCall;
  BackfillSchedule(argument: _millrace_scheduler_v1_BackfillScheduleRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_millrace_scheduler_v1_BackfillScheduleResponse__Output>): grpc.ClientUnaryCall;
  BackfillSchedule(argument: _millrace_scheduler_v1_BackfillScheduleRequest, callback: grpc.requestCallback<_millrace_scheduler_v1_BackfillScheduleResponse__Output>): grpc.ClientUnaryCall;
  /**
   * One run for each tick of [from, to) that lies in the past and has none yet.
   */
  backfillSchedule(argument: _millrace_scheduler_v1_BackfillScheduleRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_millrace_scheduler_v1_BackfillScheduleResponse__Output>): grpc.ClientUnaryCall;
  backfillSchedule(argument: _millrace_scheduler_v1_BackfillScheduleRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_millrace_scheduler_v1_BackfillScheduleResponse__Output>): grpc.ClientUnaryCall;
  backfillSchedule(argument: _millrace_scheduler_v1_BackfillScheduleRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_millrace_scheduler_v1_BackfillScheduleResponse__Output>): grpc.ClientUnaryCall;
  backfillSchedule(argument: _millrace_scheduler_v1_BackfillScheduleRequest, callback: grpc.requestCallback<_millrace_scheduler_v1_BackfillScheduleResponse__Output>): grpc.ClientUnaryCall;
  
  /**
   * How many a project has.
   */
  CountSchedules(argument: _millrace_scheduler_v1_CountSchedulesRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_millrace_scheduler_v1_CountSchedulesResponse__Output>): grpc.ClientUnaryCall;
  CountSchedules(argument: _millrace_scheduler_v1_CountSchedulesRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_millrace_scheduler_v1_CountSchedulesResponse__Output>): grpc.ClientUnaryCall;
  CountSchedules(argument: _millrace_scheduler_v1_CountSchedulesRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_millrace_scheduler_v1_CountSchedulesResponse__Output>): grpc.ClientUnaryCall;
  CountSchedules(argument: _millrace_scheduler_v1_CountSchedulesRequest, callback: grpc.requestCallback<_millrace_scheduler_v1_CountSchedulesResponse__Output>): grpc.ClientUnaryCall;
  /**
   * How many a project has.
   */
  countSchedules(argument: _millrace_scheduler_v1_CountSchedulesRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_millrace_scheduler_v1_CountSchedulesResponse__Output>): grpc.ClientUnaryCall;
  countSchedules(argument: _millrace_scheduler_v1_CountSchedulesRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_millrace_scheduler_v1_CountSchedulesResponse__Output>): grpc.ClientUnaryCall;
  countSchedules(argument: _millrace_scheduler_v1_CountSchedulesRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_millrace_scheduler_v1_CountSchedulesResponse__Output>): grpc.ClientUnaryCall;
  countSchedules(argument: _millrace_scheduler_v1_CountSchedulesRequest, callback: grpc.requestCallback<_millrace_scheduler_v1_CountSchedulesResponse__Output>): grpc.ClientUnaryCall;
  
  /**
   * The same id always answers with the same schedule.
   */
  CreateSchedule(argument: _millrace_scheduler_v1_CreateScheduleRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_millrace_scheduler_v1_CreateScheduleResponse__Output>): grpc.ClientUnaryCall;
  CreateSchedule(argument: _millrace_scheduler_v1_CreateScheduleRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_millrace_scheduler_v1_CreateScheduleResponse__Output>): grpc.ClientUnaryCall;
  CreateSchedule(argument: _millrace_scheduler_v1_CreateScheduleRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_millrace_scheduler_v1_CreateScheduleResponse__Output>): grpc.ClientUnaryCall;
  CreateSchedule(argument: _millrace_scheduler_v1_CreateScheduleRequest, callback: grpc.requestCallback<_millrace_scheduler_v1_CreateScheduleResponse__Output>): grpc.ClientUnaryCall;
  /**
   * The same id always answers with the same schedule.
   */
  createSchedule(argument: _millrace_scheduler_v1_CreateScheduleRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_millrace_scheduler_v1_CreateScheduleResponse__Output>): grpc.ClientUnaryCall;
  createSchedule(argument: _millrace_scheduler_v1_CreateScheduleRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_millrace_scheduler_v1_CreateScheduleResponse__Output>): grpc.ClientUnaryCall;
  createSchedule(argument: _millrace_scheduler_v1_CreateScheduleRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_millrace_scheduler_v1_CreateScheduleResponse__Output>): grpc.ClientUnaryCall;
  createSchedule(argument: _millrace_scheduler_v1_CreateScheduleRequest, callback: grpc.requestCallback<_millrace_scheduler_v1_CreateScheduleResponse__Output>): grpc.ClientUnaryCall;
  
  DeleteSchedule(argument: _millrace_scheduler_v1_DeleteScheduleRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_millrace_scheduler_v1_DeleteScheduleResponse__Output>): grpc.ClientUnaryCall;
  DeleteSchedule(argument: _millrace_scheduler_v1_DeleteScheduleRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_millrace_scheduler_v1_DeleteScheduleResponse__Output>): grpc.ClientUnaryCall;
  DeleteSchedule(argument: _millrace_scheduler_v1_DeleteScheduleRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_millrace_scheduler_v1_DeleteScheduleResponse__Output>): grpc.ClientUnaryCall;
  DeleteSchedule(argument: _millrace_scheduler_v1_DeleteScheduleRequest, callback: grpc.requestCallback<_millrace_scheduler_v1_DeleteScheduleResponse__Output>): grpc.ClientUnaryCall;
  deleteSchedule(argument: _millrace_scheduler_v1_DeleteScheduleRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_millrace_scheduler_v1_DeleteScheduleResponse__Output>): grpc.ClientUnaryCall;
  deleteSchedule(argument: _millrace_scheduler_v1_DeleteScheduleRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_millrace_scheduler_v1_DeleteScheduleResponse__Output>): grpc.ClientUnaryCall;
  deleteSchedule(argument: _millrace_scheduler_v1_DeleteScheduleRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_millrace_scheduler_v1_DeleteScheduleResponse__Output>): grpc.ClientUnaryCall;
  deleteSchedule(argument: _millrace_scheduler_v1_DeleteScheduleRequest, callback: grpc.requestCallback<_millrace_scheduler_v1_DeleteScheduleResponse__Output>): grpc.ClientUnaryCall;
  
  GetSchedule(argument: _millrace_scheduler_v1_GetScheduleRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_millrace_scheduler_v1_GetScheduleResponse__Output>): grpc.ClientUnaryCall;
  GetSchedule(argument: _millrace_scheduler_v1_GetScheduleRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_millrace_scheduler_v1_GetScheduleResponse__Output>): grpc.ClientUnaryCall;
  GetSchedule(argument: _millrace_scheduler_v1_GetScheduleRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_millrace_scheduler_v1_GetScheduleResponse__Output>): grpc.ClientUnaryCall;
  GetSchedule(argument: _millrace_scheduler_v1_GetScheduleRequest, callback: grpc.requestCallback<_millrace_scheduler_v1_GetScheduleResponse__Output>): grpc.ClientUnaryCall;
  getSchedule(argument: _millrace_scheduler_v1_GetScheduleRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_millrace_scheduler_v1_GetScheduleResponse__Output>): grpc.ClientUnaryCall;
  getSchedule(argument: _millrace_scheduler_v1_GetScheduleRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_millrace_scheduler_v1_GetScheduleResponse__Output>): grpc.ClientUnaryCall;
  getSchedule(argument: _millrace_scheduler_v1_GetScheduleRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_millrace_scheduler_v1_GetScheduleResponse__Output>): grpc.ClientUnaryCall;
  getSchedule(argument: _millrace_scheduler_v1_GetScheduleRequest, callback: grpc.requestCallback<_millrace_scheduler_v1_GetScheduleResponse__Output>): grpc.ClientUnaryCall;
  
  ListSchedules(argument: _millrace_scheduler_v1_ListSchedulesRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_millrace_scheduler_v1_ListSchedulesResponse__Output>): grpc.ClientUnaryCall;
  ListSchedules(argument: _millrace_scheduler_v1_ListSchedulesRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_millrace_scheduler_v1_ListSchedulesResponse__Output>): grpc.ClientUnaryCall;
  ListSchedules(argument: _millrace_scheduler_v1_ListSchedulesRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_millrace_scheduler_v1_ListSchedulesResponse__Output>): grpc.ClientUnaryCall;
  ListSchedules(argument: _millrace_scheduler_v1_ListSchedulesRequest, callback: grpc.requestCallback<_millrace_scheduler_v1_ListSchedulesResponse__Output>): grpc.ClientUnaryCall;
  listSchedules(argument: _millrace_scheduler_v1_ListSchedulesRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_millrace_scheduler_v1_ListSchedulesResponse__Output>): grpc.ClientUnaryCall;
  listSchedules(argument: _millrace_scheduler_v1_ListSchedulesRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_millrace_scheduler_v1_ListSchedulesResponse__Output>): grpc.ClientUnaryCall;
  listSchedules(argument: _millrace_scheduler_v1_ListSchedulesRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_millrace_scheduler_v1_ListSchedulesResponse__Output>): grpc.ClientUnaryCall;
  listSchedules(argument: _millrace_scheduler_v1_ListSchedulesRequest, callback: grpc.requestCallback<_millrace_scheduler_v1_ListSchedulesResponse__Output>): grpc.ClientUnaryCall;
  
  NextTicks(argument: _millrace_scheduler_v1_NextTicksRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_millrace_scheduler_v1_NextTicksResponse__Output>): grpc.ClientUnaryCall;
  NextTicks(argument: _millrace_scheduler_v1_NextTicksRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_millrace_scheduler_v1_NextTicksResponse__Output>): grpc.ClientUnaryCall;
  NextTicks(argument: _millrace_scheduler_v1_NextTicksRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_millrace_scheduler_v1_NextTicksResponse__Output>): grpc.ClientUnaryCall;
  NextTicks(argument: _millrace_scheduler_v1_NextTicksRequest, callback: grpc.requestCallback<_millrace_scheduler_v1_NextTicksResponse__Output>): grpc.ClientUnaryCall;
  nextTicks(argument: _millrace_scheduler_v1_NextTicksRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_millrace_scheduler_v1_NextTicksResponse__Output>): grpc.ClientUnaryCall;
  nextTicks(argument: _millrace_scheduler_v1_NextTicksRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_millrace_scheduler_v1_NextTicksResponse__Output>): grpc.ClientUnaryCall;
  nextTicks(argument: _millrace_scheduler_v1_NextTicksRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_millrace_scheduler_v1_NextTicksResponse__Output>): grpc.ClientUnaryCall;
  nextTicks(argument: _millrace_scheduler_v1_NextTicksRequest, callback: grpc.requestCallback<_millrace_scheduler_v1_NextTicksResponse__Output>): grpc.ClientUnaryCall;
  
  /**
   * What a backfill of the range would cover.
   */
  PreviewBackfill(argument: _millrace_scheduler_v1_PreviewBackfillRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_millrace_scheduler_v1_PreviewBackfillResponse__Output>): grpc.ClientUnaryCall;
  PreviewBackfill(argument: _millrace_scheduler_v1_PreviewBackfillRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_millrace_scheduler_v1_PreviewBackfillResponse__Output>): grpc.ClientUnaryCall;
  PreviewBackfill(argument: _millrace_scheduler_v1_PreviewBackfillRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_millrace_scheduler_v1_PreviewBackfillResponse__Output>): grpc.ClientUnaryCall;
  PreviewBackfill(argument: _millrace_scheduler_v1_PreviewBackfillRequest, callback: grpc.requestCallback<_millrace_scheduler_v1_PreviewBackfillResponse__Output>): grpc.ClientUnaryCall;
  /**
   * What a backfill of the range would cover.
   */
  previewBackfill(argument: _millrace_scheduler_v1_PreviewBackfillRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_millrace_scheduler_v1_PreviewBackfillResponse__Output>): grpc.ClientUnaryCall;
  previewBackfill(argument: _millrace_scheduler_v1_PreviewBackfillRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_millrace_scheduler_v1_PreviewBackfillResponse__Output>): grpc.ClientUnaryCall;
  previewBackfill(argument: _millrace_scheduler_v1_PreviewBackfillRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_millrace_scheduler_v1_PreviewBackfillResponse__Output>): grpc.ClientUnaryCall;
  previewBackfill(argument: _millrace_scheduler_v1_PreviewBackfillRequest, callback: grpc.requestCallback<_millrace_scheduler_v1_PreviewBackfillResponse__Output>): grpc.ClientUnaryCall;
  
  UpdateSchedule(argument: _millrace_scheduler_v1_UpdateScheduleRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_millrace_scheduler_v1_UpdateScheduleResponse__Output>): grpc.ClientUnaryCall;
  UpdateSchedule(argument: _millrace_scheduler_v1_UpdateScheduleRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_millrace_scheduler_v1_UpdateScheduleResponse__Output>): grpc.ClientUnaryCall;
  UpdateSchedule(argument: _millrace_scheduler_v1_UpdateScheduleRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_millrace_scheduler_v1_UpdateScheduleResponse__Output>): grpc.ClientUnaryCall;
  UpdateSchedule(argument: _millrace_scheduler_v1_UpdateScheduleRequest, callback: grpc.requestCallback<_millrace_scheduler_v1_UpdateScheduleResponse__Output>): grpc.ClientUnaryCall;
  updateSchedule(argument: _millrace_scheduler_v1_UpdateScheduleRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_millrace_scheduler_v1_UpdateScheduleResponse__Output>): grpc.ClientUnaryCall;
  updateSchedule(argument: _millrace_scheduler_v1_UpdateScheduleRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_millrace_scheduler_v1_UpdateScheduleResponse__Output>): grpc.ClientUnaryCall;
  updateSchedule(argument: _millrace_scheduler_v1_UpdateScheduleRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_millrace_scheduler_v1_UpdateScheduleResponse__Output>): grpc.ClientUnaryCall;
  updateSchedule(argument: _millrace_scheduler_v1_UpdateScheduleRequest, callback: grpc.requestCallback<_millrace_scheduler_v1_UpdateScheduleResponse__Output>): grpc.ClientUnaryCall;
  
}

/**
 * Internal listener; callers present a service identity and say for which project they act.
 * The scheduler owns schedules; the workflow service is their public face and has checked workflow and input.
 */
export interface ScheduleServiceHandlers extends grpc.UntypedServiceImplementation {
  /**
   * One run for each tick of [from, to) that lies in the past and has none yet.
   */
  BackfillSchedule: grpc.handleUnaryCall<_millrace_scheduler_v1_BackfillScheduleRequest__Output, _millrace_scheduler_v1_BackfillScheduleResponse>;
  
  /**
   * How many a project has.
   */
  CountSchedules: grpc.handleUnaryCall<_millrace_scheduler_v1_CountSchedulesRequest__Output, _millrace_scheduler_v1_CountSchedulesResponse>;
  
  /**
   * The same id always answers with the same schedule.
   */
  CreateSchedule: grpc.handleUnaryCall<_millrace_scheduler_v1_CreateScheduleRequest__Output, _millrace_scheduler_v1_CreateScheduleResponse>;
  
  DeleteSchedule: grpc.handleUnaryCall<_millrace_scheduler_v1_DeleteScheduleRequest__Output, _millrace_scheduler_v1_DeleteScheduleResponse>;
  
  GetSchedule: grpc.handleUnaryCall<_millrace_scheduler_v1_GetScheduleRequest__Output, _millrace_scheduler_v1_GetScheduleResponse>;
  
  ListSchedules: grpc.handleUnaryCall<_millrace_scheduler_v1_ListSchedulesRequest__Output, _millrace_scheduler_v1_ListSchedulesResponse>;
  
  NextTicks: grpc.handleUnaryCall<_millrace_scheduler_v1_NextTicksRequest__Output, _millrace_scheduler_v1_NextTicksResponse>;
  
  /**
   * What a backfill of the range would cover.
   */
  PreviewBackfill: grpc.handleUnaryCall<_millrace_scheduler_v1_PreviewBackfillRequest__Output, _millrace_scheduler_v1_PreviewBackfillResponse>;
  
  UpdateSchedule: grpc.handleUnaryCall<_millrace_scheduler_v1_UpdateScheduleRequest__Output, _millrace_scheduler_v1_UpdateScheduleResponse>;
  
}

export interface ScheduleServiceDefinition extends grpc.ServiceDefinition {
  BackfillSchedule: MethodDefinition<_millrace_scheduler_v1_BackfillScheduleRequest, _millrace_scheduler_v1_BackfillScheduleResponse, _millrace_scheduler_v1_BackfillScheduleRequest__Output, _millrace_scheduler_v1_BackfillScheduleResponse__Output>
  CountSchedules: MethodDefinition<_millrace_scheduler_v1_CountSchedulesRequest, _millrace_scheduler_v1_CountSchedulesResponse, _millrace_scheduler_v1_CountSchedulesRequest__Output, _millrace_scheduler_v1_CountSchedulesResponse__Output>
  CreateSchedule: MethodDefinition<_millrace_scheduler_v1_CreateScheduleRequest, _millrace_scheduler_v1_CreateScheduleResponse, _millrace_scheduler_v1_CreateScheduleRequest__Output, _millrace_scheduler_v1_CreateScheduleResponse__Output>
  DeleteSchedule: MethodDefinition<_millrace_scheduler_v1_DeleteScheduleRequest, _millrace_scheduler_v1_DeleteScheduleResponse, _millrace_scheduler_v1_DeleteScheduleRequest__Output, _millrace_scheduler_v1_DeleteScheduleResponse__Output>
  GetSchedule: MethodDefinition<_millrace_scheduler_v1_GetScheduleRequest, _millrace_scheduler_v1_GetScheduleResponse, _millrace_scheduler_v1_GetScheduleRequest__Output, _millrace_scheduler_v1_GetScheduleResponse__Output>
  ListSchedules: MethodDefinition<_millrace_scheduler_v1_ListSchedulesRequest, _millrace_scheduler_v1_ListSchedulesResponse, _millrace_scheduler_v1_ListSchedulesRequest__Output, _millrace_scheduler_v1_ListSchedulesResponse__Output>
  NextTicks: MethodDefinition<_millrace_scheduler_v1_NextTicksRequest, _millrace_scheduler_v1_NextTicksResponse, _millrace_scheduler_v1_NextTicksRequest__Output, _millrace_scheduler_v1_NextTicksResponse__Output>
  PreviewBackfill: MethodDefinition<_millrace_scheduler_v1_PreviewBackfillRequest, _millrace_scheduler_v1_PreviewBackfillResponse, _millrace_scheduler_v1_PreviewBackfillRequest__Output, _millrace_scheduler_v1_PreviewBackfillResponse__Output>
  UpdateSchedule: MethodDefinition<_millrace_scheduler_v1_UpdateScheduleRequest, _millrace_scheduler_v1_UpdateScheduleResponse, _millrace_scheduler_v1_UpdateScheduleRequest__Output, _millrace_scheduler_v1_UpdateScheduleResponse__Output>
}
