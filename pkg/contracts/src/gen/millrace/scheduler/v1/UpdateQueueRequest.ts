// Original file: proto/scheduler/v1/control.proto

import type { RateLimit as _millrace_scheduler_v1_RateLimit, RateLimit__Output as _millrace_scheduler_v1_RateLimit__Output } from '../../../millrace/scheduler/v1/RateLimit.js';
import type { Requester as _millrace_scheduler_v1_Requester, Requester__Output as _millrace_scheduler_v1_Requester__Output } from '../../../millrace/scheduler/v1/Requester.js';

/**
 * What is absent stays as it is; `clear` names the settings that are taken away.
 */
export interface UpdateQueueRequest {
  'projectId'?: (string);
  'withShared'?: (boolean);
  'name'?: (string);
  'paused'?: (boolean);
  'concurrency'?: (number);
  'rateLimit'?: (_millrace_scheduler_v1_RateLimit | null);
  'weight'?: (number | string);
  'profile'?: (string);
  'defaultsJson'?: (string);
  /**
   * concurrency, rate_limit, weight, profile, defaults.
   */
  'clear'?: (string)[];
  'requester'?: (_millrace_scheduler_v1_Requester | null);
  '_paused'?: "paused";
  '_concurrency'?: "concurrency";
  '_weight'?: "weight";
  '_profile'?: "profile";
  '_defaultsJson'?: "defaultsJson";
}

/**
 * What is absent stays as it is; `clear` names the settings that are taken away.
 */
export interface UpdateQueueRequest__Output {
  'projectId': (string);
  'withShared': (boolean);
  'name': (string);
  'paused'?: (boolean);
  'concurrency'?: (number);
  'rateLimit': (_millrace_scheduler_v1_RateLimit__Output | null);
  'weight'?: (number);
  'profile'?: (string);
  'defaultsJson'?: (string);
  /**
   * concurrency, rate_limit, weight, profile, defaults.
   */
  'clear': (string)[];
  'requester': (_millrace_scheduler_v1_Requester__Output | null);
  '_paused'?: "paused";
  '_concurrency'?: "concurrency";
  '_weight'?: "weight";
  '_profile'?: "profile";
  '_defaultsJson'?: "defaultsJson";
}
