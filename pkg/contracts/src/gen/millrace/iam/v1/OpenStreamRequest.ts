// Original file: proto/iam/v1/iam.proto

import type { Stream as _millrace_iam_v1_Stream, Stream__Output as _millrace_iam_v1_Stream__Output } from '../../../millrace/iam/v1/Stream.js';

export interface OpenStreamRequest {
  'stream'?: (_millrace_iam_v1_Stream | null);
}

export interface OpenStreamRequest__Output {
  'stream': (_millrace_iam_v1_Stream__Output | null);
}
