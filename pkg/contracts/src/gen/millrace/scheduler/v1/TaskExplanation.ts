// Original file: proto/scheduler/v1/run.proto

import type { Blocker as _millrace_scheduler_v1_Blocker, Blocker__Output as _millrace_scheduler_v1_Blocker__Output } from '../../../millrace/scheduler/v1/Blocker.js';

export interface TaskExplanation {
  'key'?: (string);
  'index'?: (number);
  'status'?: (string);
  'why'?: (string);
  'blockers'?: (_millrace_scheduler_v1_Blocker)[];
  '_index'?: "index";
}

export interface TaskExplanation__Output {
  'key': (string);
  'index'?: (number);
  'status': (string);
  'why': (string);
  'blockers': (_millrace_scheduler_v1_Blocker__Output)[];
  '_index'?: "index";
}
