// Original file: proto/metadata/v1/log.proto

import type { Long } from '@grpc/proto-loader';

export interface LogLine {
  'taskId'?: (string);
  'runId'?: (string);
  'projectId'?: (string);
  'key'?: (string);
  'attempt'?: (number);
  /**
   * Counts from 1 within an attempt of a task.
   */
  'seq'?: (number | string | Long);
  /**
   * RFC 3339, UTC.
   */
  'at'?: (string);
  /**
   * debug, info, warn, error.
   */
  'level'?: (string);
  /**
   * stdout, stderr, system.
   */
  'stream'?: (string);
  'message'?: (string);
}

export interface LogLine__Output {
  'taskId': (string);
  'runId': (string);
  'projectId': (string);
  'key': (string);
  'attempt': (number);
  /**
   * Counts from 1 within an attempt of a task.
   */
  'seq': (number);
  /**
   * RFC 3339, UTC.
   */
  'at': (string);
  /**
   * debug, info, warn, error.
   */
  'level': (string);
  /**
   * stdout, stderr, system.
   */
  'stream': (string);
  'message': (string);
}
