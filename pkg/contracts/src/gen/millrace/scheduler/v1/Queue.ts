// Original file: proto/scheduler/v1/control.proto

import type { RateLimit as _millrace_scheduler_v1_RateLimit, RateLimit__Output as _millrace_scheduler_v1_RateLimit__Output } from '../../../millrace/scheduler/v1/RateLimit.js';
import type { Long } from '@grpc/proto-loader';

export interface Queue {
  'name'?: (string);
  'paused'?: (boolean);
  /**
   * Ready tasks that wait, also those that wait for a limit.
   */
  'depth'?: (number);
  'running'?: (number);
  /**
   * Of the depth: those that wait for a limit.
   */
  'parked'?: (number);
  /**
   * Of the task that has waited longest; 0 when none waits.
   */
  'oldestAgeMs'?: (number | string | Long);
  /**
   * Absent = no limit.
   */
  'concurrency'?: (number);
  'rateLimit'?: (_millrace_scheduler_v1_RateLimit | null);
  /**
   * Absent = no turn of its own.
   */
  'weight'?: (number | string);
  /**
   * latency, throughput, batch; empty = the scheduler's.
   */
  'profile'?: (string);
  /**
   * As JSON, {"retry", "timeout"}; empty = none.
   */
  'defaultsJson'?: (string);
  /**
   * Workers of the project that serve it, by id; the platform's own only for its administrators.
   */
  'workers'?: (string)[];
  /**
   * Empty = never.
   */
  'updatedAt'?: (string);
  '_concurrency'?: "concurrency";
  '_weight'?: "weight";
}

export interface Queue__Output {
  'name': (string);
  'paused': (boolean);
  /**
   * Ready tasks that wait, also those that wait for a limit.
   */
  'depth': (number);
  'running': (number);
  /**
   * Of the depth: those that wait for a limit.
   */
  'parked': (number);
  /**
   * Of the task that has waited longest; 0 when none waits.
   */
  'oldestAgeMs': (number);
  /**
   * Absent = no limit.
   */
  'concurrency'?: (number);
  'rateLimit': (_millrace_scheduler_v1_RateLimit__Output | null);
  /**
   * Absent = no turn of its own.
   */
  'weight'?: (number);
  /**
   * latency, throughput, batch; empty = the scheduler's.
   */
  'profile': (string);
  /**
   * As JSON, {"retry", "timeout"}; empty = none.
   */
  'defaultsJson': (string);
  /**
   * Workers of the project that serve it, by id; the platform's own only for its administrators.
   */
  'workers': (string)[];
  /**
   * Empty = never.
   */
  'updatedAt': (string);
  '_concurrency'?: "concurrency";
  '_weight'?: "weight";
}
