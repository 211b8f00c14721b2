// Original file: proto/iam/v1/iam.proto

import type { Secret as _millrace_iam_v1_Secret, Secret__Output as _millrace_iam_v1_Secret__Output } from '../../../millrace/iam/v1/Secret.js';

export interface GetSecretsResponse {
  /**
   * In no order; a name that is in neither list does not exist.
   */
  'secrets'?: (_millrace_iam_v1_Secret)[];
  /**
   * They exist, but the master key they were sealed with is not the present one.
   */
  'unreadable'?: (string)[];
}

export interface GetSecretsResponse__Output {
  /**
   * In no order; a name that is in neither list does not exist.
   */
  'secrets': (_millrace_iam_v1_Secret__Output)[];
  /**
   * They exist, but the master key they were sealed with is not the present one.
   */
  'unreadable': (string)[];
}
