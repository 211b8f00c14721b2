// Original file: proto/scheduler/v1/dispatch.proto

import type { Long } from '@grpc/proto-loader';

export interface Lease {
  'taskId'?: (string);
  'runId'?: (string);
  'projectId'?: (string);
  'workflow'?: (string);
  'key'?: (string);
  'index'?: (number);
  'uses'?: (string);
  'attempt'?: (number);
  'maxAttempts'?: (number);
  /**
   * Fencing: both go back with the result.
   */
  'token'?: (number | string | Long);
  'leaseId'?: (string);
  /**
   * The resolved `with`.
   */
  'inputJson'?: (string);
  'idempotencyKey'?: (string);
  /**
   * 0 = none. Counted from the grant.
   */
  'timeoutMs'?: (number | string | Long);
  'traceparent'?: (string);
  /**
   * Values to mask in outputs, errors and logs.
   */
  'secrets'?: (string)[];
  '_index'?: "index";
}

export interface Lease__Output {
  'taskId': (string);
  'runId': (string);
  'projectId': (string);
  'workflow': (string);
  'key': (string);
  'index'?: (number);
  'uses': (string);
  'attempt': (number);
  'maxAttempts': (number);
  /**
   * Fencing: both go back with the result.
   */
  'token': (number);
  'leaseId': (string);
  /**
   * The resolved `with`.
   */
  'inputJson': (string);
  'idempotencyKey': (string);
  /**
   * 0 = none. Counted from the grant.
   */
  'timeoutMs': (number);
  'traceparent': (string);
  /**
   * Values to mask in outputs, errors and logs.
   */
  'secrets': (string)[];
  '_index'?: "index";
}
