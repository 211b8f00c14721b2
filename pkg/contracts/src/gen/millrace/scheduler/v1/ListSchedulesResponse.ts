// Original file: proto/scheduler/v1/schedule.proto

import type { Schedule as _millrace_scheduler_v1_Schedule, Schedule__Output as _millrace_scheduler_v1_Schedule__Output } from '../../../millrace/scheduler/v1/Schedule.js';

export interface ListSchedulesResponse {
  'schedules'?: (_millrace_scheduler_v1_Schedule)[];
}

export interface ListSchedulesResponse__Output {
  'schedules': (_millrace_scheduler_v1_Schedule__Output)[];
}
