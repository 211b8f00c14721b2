// Original file: proto/iam/v1/iam.proto

import type { Long } from '@grpc/proto-loader';

export interface StoredBytes {
  'projectId'?: (string);
  'bytes'?: (number | string | Long);
}

export interface StoredBytes__Output {
  'projectId': (string);
  'bytes': (number);
}
