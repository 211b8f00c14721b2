// Original file: proto/scheduler/v1/scheduler.proto

import type { Long } from '@grpc/proto-loader';

export interface CountRunsResponse {
  'counts'?: ({[key: string]: number | string | Long});
  'takenIds'?: (string)[];
}

export interface CountRunsResponse__Output {
  'counts': ({[key: string]: number});
  'takenIds': (string)[];
}
