// Original file: proto/scheduler/v1/schedule.proto

import type { TickFailure as _millrace_scheduler_v1_TickFailure, TickFailure__Output as _millrace_scheduler_v1_TickFailure__Output } from '../../../millrace/scheduler/v1/TickFailure.js';

export interface Schedule {
  'id'?: (string);
  'projectId'?: (string);
  'workflow'?: (string);
  /**
   * Also a nickname such as @daily, or `@every <duration>`.
   */
  'cron'?: (string);
  'timezone'?: (string);
  'inputJson'?: (string);
  /**
   * none, last, all.
   */
  'catchup'?: (string);
  'paused'?: (boolean);
  'createdBy'?: (string);
  'createdAt'?: (string);
  'updatedAt'?: (string);
  /**
   * Empty while paused.
   */
  'nextAt'?: (string);
  /**
   * Empty until the first tick became a run.
   */
  'lastTickAt'?: (string);
  'lastRunId'?: (string);
  'lastError'?: (_millrace_scheduler_v1_TickFailure | null);
  /**
   * Ticks that wait for their run: late ones, a backfill, or the workflow service is away.
   */
  'pendingTicks'?: (number);
  /**
   * For people; may be empty.
   */
  'name'?: (string);
}

export interface Schedule__Output {
  'id': (string);
  'projectId': (string);
  'workflow': (string);
  /**
   * Also a nickname such as @daily, or `@every <duration>`.
   */
  'cron': (string);
  'timezone': (string);
  'inputJson': (string);
  /**
   * none, last, all.
   */
  'catchup': (string);
  'paused': (boolean);
  'createdBy': (string);
  'createdAt': (string);
  'updatedAt': (string);
  /**
   * Empty while paused.
   */
  'nextAt': (string);
  /**
   * Empty until the first tick became a run.
   */
  'lastTickAt': (string);
  'lastRunId': (string);
  'lastError': (_millrace_scheduler_v1_TickFailure__Output | null);
  /**
   * Ticks that wait for their run: late ones, a backfill, or the workflow service is away.
   */
  'pendingTicks': (number);
  /**
   * For people; may be empty.
   */
  'name': (string);
}
