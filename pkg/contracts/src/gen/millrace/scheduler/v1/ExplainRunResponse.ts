// Original file: proto/scheduler/v1/scheduler.proto

import type { Blocker as _millrace_scheduler_v1_Blocker, Blocker__Output as _millrace_scheduler_v1_Blocker__Output } from '../../../millrace/scheduler/v1/Blocker.js';
import type { TaskExplanation as _millrace_scheduler_v1_TaskExplanation, TaskExplanation__Output as _millrace_scheduler_v1_TaskExplanation__Output } from '../../../millrace/scheduler/v1/TaskExplanation.js';

export interface ExplainRunResponse {
  'blockers'?: (_millrace_scheduler_v1_Blocker)[];
  'tasks'?: (_millrace_scheduler_v1_TaskExplanation)[];
}

export interface ExplainRunResponse__Output {
  'blockers': (_millrace_scheduler_v1_Blocker__Output)[];
  'tasks': (_millrace_scheduler_v1_TaskExplanation__Output)[];
}
