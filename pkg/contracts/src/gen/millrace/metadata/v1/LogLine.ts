// Original file: proto/metadata/v1/log.proto

import type { Long } from '@grpc/proto-loader';

export interface LogLine {
  'taskId'?: (string);
  'runId'?: (string);
  'projectId'?: (string);
  'key'?: (string);
  'attempt'?: (number);
  /**
   * Counts from 1 within a lease.
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
  /**
   * The lease under which the line was written: after a takeover two leases write to the same attempt. A worker that
   * names none numbers its lines within the attempt.
   */
  'leaseId'?: (string);
}

export interface LogLine__Output {
  'taskId': (string);
  'runId': (string);
  'projectId': (string);
  'key': (string);
  'attempt': (number);
  /**
   * Counts from 1 within a lease.
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
  /**
   * The lease under which the line was written: after a takeover two leases write to the same attempt. A worker that
   * names none numbers its lines within the attempt.
   */
  'leaseId': (string);
}
