// Original file: proto/scheduler/v1/run.proto

import type { Failure as _millrace_common_v1_Failure, Failure__Output as _millrace_common_v1_Failure__Output } from '../../../millrace/common/v1/Failure.js';
import type { ParentTask as _millrace_common_v1_ParentTask, ParentTask__Output as _millrace_common_v1_ParentTask__Output } from '../../../millrace/common/v1/ParentTask.js';
import type { RerunSource as _millrace_common_v1_RerunSource, RerunSource__Output as _millrace_common_v1_RerunSource__Output } from '../../../millrace/common/v1/RerunSource.js';
import type { Long } from '@grpc/proto-loader';

export interface Run {
  'id'?: (string);
  'projectId'?: (string);
  'workflow'?: (string);
  'version'?: (number);
  'versionId'?: (string);
  /**
   * queued, running, paused, cancelling, succeeded, failed, cancelled.
   */
  'status'?: (string);
  'reason'?: (string);
  'inputJson'?: (string);
  'outputJson'?: (string);
  'error'?: (_millrace_common_v1_Failure | null);
  'priority'?: (number);
  'labels'?: ({[key: string]: string});
  /**
   * RFC 3339, UTC; empty = not yet.
   */
  'createdAt'?: (string);
  'startedAt'?: (string);
  'finishedAt'?: (string);
  'rev'?: (number | string | Long);
  'generation'?: (number);
  'traceparent'?: (string);
  'parent'?: (_millrace_common_v1_ParentTask | null);
  'rerun'?: (_millrace_common_v1_RerunSource | null);
  /**
   * Who or what asked for it, such as `user:<id>` or `schedule:<id>`.
   */
  'requestedBy'?: (string);
  /**
   * RFC 3339, UTC: when it starts; empty unless it is delayed.
   */
  'runAt'?: (string);
  /**
   * The task whose failure failed it; empty for a run's own, such as its timeout.
   */
  'failedTask'?: (string);
  /**
   * As the definition says, such as `10m`; empty where it says nothing, and in lists.
   */
  'expectedDuration'?: (string);
  /**
   * Of the schedule that asked for it; empty for anybody else, and for a schedule without a name.
   */
  'requestedByName'?: (string);
  /**
   * If `failed_task` is a map: the first of its items that failed.
   */
  'failedIndex'?: (number);
  '_failedIndex'?: "failedIndex";
}

export interface Run__Output {
  'id': (string);
  'projectId': (string);
  'workflow': (string);
  'version': (number);
  'versionId': (string);
  /**
   * queued, running, paused, cancelling, succeeded, failed, cancelled.
   */
  'status': (string);
  'reason': (string);
  'inputJson': (string);
  'outputJson': (string);
  'error': (_millrace_common_v1_Failure__Output | null);
  'priority': (number);
  'labels': ({[key: string]: string});
  /**
   * RFC 3339, UTC; empty = not yet.
   */
  'createdAt': (string);
  'startedAt': (string);
  'finishedAt': (string);
  'rev': (number);
  'generation': (number);
  'traceparent': (string);
  'parent': (_millrace_common_v1_ParentTask__Output | null);
  'rerun': (_millrace_common_v1_RerunSource__Output | null);
  /**
   * Who or what asked for it, such as `user:<id>` or `schedule:<id>`.
   */
  'requestedBy': (string);
  /**
   * RFC 3339, UTC: when it starts; empty unless it is delayed.
   */
  'runAt': (string);
  /**
   * The task whose failure failed it; empty for a run's own, such as its timeout.
   */
  'failedTask': (string);
  /**
   * As the definition says, such as `10m`; empty where it says nothing, and in lists.
   */
  'expectedDuration': (string);
  /**
   * Of the schedule that asked for it; empty for anybody else, and for a schedule without a name.
   */
  'requestedByName': (string);
  /**
   * If `failed_task` is a map: the first of its items that failed.
   */
  'failedIndex'?: (number);
  '_failedIndex'?: "failedIndex";
}
