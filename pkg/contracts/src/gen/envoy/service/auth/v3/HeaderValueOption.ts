// Original file: proto/envoy/service/auth/v3/external_auth.proto

import type { HeaderValue as _envoy_service_auth_v3_HeaderValue, HeaderValue__Output as _envoy_service_auth_v3_HeaderValue__Output } from '../../../../envoy/service/auth/v3/HeaderValue.js';

/**
 * envoy.config.core.v3.HeaderValueOption
 */
export interface HeaderValueOption {
  'header'?: (_envoy_service_auth_v3_HeaderValue | null);
  /**
   * envoy.config.core.v3.HeaderValueOption.HeaderAppendAction: 0 = append if exists or add, 2 = overwrite if exists or add.
   */
  'appendAction'?: (number);
}

/**
 * envoy.config.core.v3.HeaderValueOption
 */
export interface HeaderValueOption__Output {
  'header': (_envoy_service_auth_v3_HeaderValue__Output | null);
  /**
   * envoy.config.core.v3.HeaderValueOption.HeaderAppendAction: 0 = append if exists or add, 2 = overwrite if exists or add.
   */
  'appendAction': (number);
}
