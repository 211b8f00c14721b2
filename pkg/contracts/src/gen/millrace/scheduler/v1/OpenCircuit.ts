// Original file: proto/scheduler/v1/dispatch.proto

import type { Long } from '@grpc/proto-loader';

export interface OpenCircuit {
  'uses'?: (string);
  /**
   * host:port
   */
  'peer'?: (string);
  /**
   * Until it is tried again.
   */
  'retryAfterMs'?: (number | string | Long);
}

export interface OpenCircuit__Output {
  'uses': (string);
  /**
   * host:port
   */
  'peer': (string);
  /**
   * Until it is tried again.
   */
  'retryAfterMs': (number);
}
