// Original file: proto/scheduler/v1/schedule.proto

import type { Requester as _millrace_scheduler_v1_Requester, Requester__Output as _millrace_scheduler_v1_Requester__Output } from '../../../millrace/scheduler/v1/Requester.js';

export interface BackfillScheduleRequest {
  'id'?: (string);
  'projectId'?: (string);
  'from'?: (string);
  'to'?: (string);
  'requester'?: (_millrace_scheduler_v1_Requester | null);
}

export interface BackfillScheduleRequest__Output {
  'id': (string);
  'projectId': (string);
  'from': (string);
  'to': (string);
  'requester': (_millrace_scheduler_v1_Requester__Output | null);
}
