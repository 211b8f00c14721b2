// Original file: proto/scheduler/v1/schedule.proto

import type { Requester as _millrace_scheduler_v1_Requester, Requester__Output as _millrace_scheduler_v1_Requester__Output } from '../../../millrace/scheduler/v1/Requester.js';

/**
 * What is absent stays as it is.
 */
export interface UpdateScheduleRequest {
  'id'?: (string);
  'projectId'?: (string);
  'workflow'?: (string);
  'cron'?: (string);
  'timezone'?: (string);
  'inputJson'?: (string);
  'catchup'?: (string);
  'paused'?: (boolean);
  'requester'?: (_millrace_scheduler_v1_Requester | null);
  'name'?: (string);
  '_workflow'?: "workflow";
  '_cron'?: "cron";
  '_timezone'?: "timezone";
  '_inputJson'?: "inputJson";
  '_catchup'?: "catchup";
  '_paused'?: "paused";
  '_name'?: "name";
}

/**
 * What is absent stays as it is.
 */
export interface UpdateScheduleRequest__Output {
  'id': (string);
  'projectId': (string);
  'workflow'?: (string);
  'cron'?: (string);
  'timezone'?: (string);
  'inputJson'?: (string);
  'catchup'?: (string);
  'paused'?: (boolean);
  'requester': (_millrace_scheduler_v1_Requester__Output | null);
  'name'?: (string);
  '_workflow'?: "workflow";
  '_cron'?: "cron";
  '_timezone'?: "timezone";
  '_inputJson'?: "inputJson";
  '_catchup'?: "catchup";
  '_paused'?: "paused";
  '_name'?: "name";
}
