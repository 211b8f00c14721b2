// Original file: proto/iam/v1/iam.proto

import type { Stream as _millrace_iam_v1_Stream, Stream__Output as _millrace_iam_v1_Stream__Output } from '../../../millrace/iam/v1/Stream.js';

export interface KeepStreamsRequest {
  'open'?: (_millrace_iam_v1_Stream)[];
  'endedIds'?: (string)[];
}

export interface KeepStreamsRequest__Output {
  'open': (_millrace_iam_v1_Stream__Output)[];
  'endedIds': (string)[];
}
