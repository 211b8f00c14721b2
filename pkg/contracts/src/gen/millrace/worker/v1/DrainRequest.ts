// Original file: proto/worker/v1/worker.proto

import type { Long } from '@grpc/proto-loader';

export interface DrainRequest {
  'timeoutMs'?: (number | string | Long);
}

export interface DrainRequest__Output {
  'timeoutMs': (number);
}
