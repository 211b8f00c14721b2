// Original file: proto/scheduler/v1/scheduler.proto

import type { Run as _millrace_scheduler_v1_Run, Run__Output as _millrace_scheduler_v1_Run__Output } from '../../../millrace/scheduler/v1/Run.js';

export interface LineageRun {
  'run'?: (_millrace_scheduler_v1_Run | null);
  /**
   * parent, child, rerun_of, rerun.
   */
  'relation'?: (string);
  /**
   * The task that a child run stands for; empty for reruns.
   */
  'task'?: (string);
  /**
   * -1 = not an item of a map.
   */
  'index'?: (number);
}

export interface LineageRun__Output {
  'run': (_millrace_scheduler_v1_Run__Output | null);
  /**
   * parent, child, rerun_of, rerun.
   */
  'relation': (string);
  /**
   * The task that a child run stands for; empty for reruns.
   */
  'task': (string);
  /**
   * -1 = not an item of a map.
   */
  'index': (number);
}
