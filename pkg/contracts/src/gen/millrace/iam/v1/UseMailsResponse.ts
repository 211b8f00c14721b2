// Original file: proto/iam/v1/iam.proto

import type { Long } from '@grpc/proto-loader';

export interface UseMailsResponse {
  'allowed'?: (boolean);
  'retryAfterSeconds'?: (number | string | Long);
}

export interface UseMailsResponse__Output {
  'allowed': (boolean);
  'retryAfterSeconds': (number);
}
