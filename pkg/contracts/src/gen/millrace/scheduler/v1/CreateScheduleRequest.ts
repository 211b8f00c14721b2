// Original file: proto/scheduler/v1/schedule.proto

import type { Requester as _millrace_scheduler_v1_Requester, Requester__Output as _millrace_scheduler_v1_Requester__Output } from '../../../millrace/scheduler/v1/Requester.js';

export interface CreateScheduleRequest {
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
}

export interface CreateScheduleRequest__Output {
  'id': (string);
  'projectId': (string);
  'workflow': (string);
  'cron': (string);
  'timezone': (string);
  'inputJson': (string);
  'catchup': (string);
  'paused': (boolean);
  'requester': (_millrace_scheduler_v1_Requester__Output | null);
  'name': (string);
}
