// Original file: proto/iam/v1/iam.proto

import type { Quotas as _millrace_iam_v1_Quotas, Quotas__Output as _millrace_iam_v1_Quotas__Output } from '../../../millrace/iam/v1/Quotas.js';
import type { Long } from '@grpc/proto-loader';

export interface GetUsageResponse {
  /**
   * Empty: there is no such project.
   */
  'projectId'?: (string);
  'quotas'?: (_millrace_iam_v1_Quotas | null);
  'streams'?: (number | string | Long);
  'mailsToday'?: (number | string | Long);
  'storageBytes'?: (number | string | Long);
}

export interface GetUsageResponse__Output {
  /**
   * Empty: there is no such project.
   */
  'projectId': (string);
  'quotas': (_millrace_iam_v1_Quotas__Output | null);
  'streams': (number);
  'mailsToday': (number);
  'storageBytes': (number);
}
