// Original file: proto/iam/v1/iam.proto

import type { StoredBytes as _millrace_iam_v1_StoredBytes, StoredBytes__Output as _millrace_iam_v1_StoredBytes__Output } from '../../../millrace/iam/v1/StoredBytes.js';

export interface ReportStorageRequest {
  'projects'?: (_millrace_iam_v1_StoredBytes)[];
}

export interface ReportStorageRequest__Output {
  'projects': (_millrace_iam_v1_StoredBytes__Output)[];
}
