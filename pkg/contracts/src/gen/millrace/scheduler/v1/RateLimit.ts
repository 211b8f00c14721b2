// Original file: proto/scheduler/v1/control.proto

import type { Long } from '@grpc/proto-loader';

export interface RateLimit {
  'limit'?: (number);
  'perMs'?: (number | string | Long);
}

export interface RateLimit__Output {
  'limit': (number);
  'perMs': (number);
}
