// Original file: proto/metadata/v1/log.proto

import type { LogLine as _millrace_metadata_v1_LogLine, LogLine__Output as _millrace_metadata_v1_LogLine__Output } from '../../../millrace/metadata/v1/LogLine.js';

export interface AppendRequest {
  'lines'?: (_millrace_metadata_v1_LogLine)[];
}

export interface AppendRequest__Output {
  'lines': (_millrace_metadata_v1_LogLine__Output)[];
}
