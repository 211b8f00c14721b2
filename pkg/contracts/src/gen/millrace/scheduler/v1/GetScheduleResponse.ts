// Original file: proto/scheduler/v1/schedule.proto

import type { Schedule as _millrace_scheduler_v1_Schedule, Schedule__Output as _millrace_scheduler_v1_Schedule__Output } from '../../../millrace/scheduler/v1/Schedule.js';

export interface GetScheduleResponse {
  'schedule'?: (_millrace_scheduler_v1_Schedule | null);
}

export interface GetScheduleResponse__Output {
  'schedule': (_millrace_scheduler_v1_Schedule__Output | null);
}
