// Original file: proto/iam/v1/iam.proto

import type { Quotas as _millrace_iam_v1_Quotas, Quotas__Output as _millrace_iam_v1_Quotas__Output } from '../../../millrace/iam/v1/Quotas.js';

export interface GetQuotasResponse {
  'quotas'?: (_millrace_iam_v1_Quotas | null);
}

export interface GetQuotasResponse__Output {
  'quotas': (_millrace_iam_v1_Quotas__Output | null);
}
