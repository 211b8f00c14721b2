// Original file: proto/events/v1/events.proto

import type { Long } from '@grpc/proto-loader';

/**
 * Topic run.late: a run took longer than its definition expects, or did not start in that time. At most once for each reason.
 */
export interface RunLate {
  'runId'?: (string);
  'projectId'?: (string);
  'workflow'?: (string);
  'version'?: (number);
  /**
   * not_started, running.
   */
  'reason'?: (string);
  'status'?: (string);
  'expectedMs'?: (number | string | Long);
  /**
   * The run's.
   */
  'labels'?: ({[key: string]: string});
  'createdAt'?: (string);
  /**
   * Empty = not yet.
   */
  'startedAt'?: (string);
}

/**
 * Topic run.late: a run took longer than its definition expects, or did not start in that time. At most once for each reason.
 */
export interface RunLate__Output {
  'runId': (string);
  'projectId': (string);
  'workflow': (string);
  'version': (number);
  /**
   * not_started, running.
   */
  'reason': (string);
  'status': (string);
  'expectedMs': (number);
  /**
   * The run's.
   */
  'labels': ({[key: string]: string});
  'createdAt': (string);
  /**
   * Empty = not yet.
   */
  'startedAt': (string);
}
