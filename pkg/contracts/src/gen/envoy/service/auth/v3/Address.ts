// Original file: proto/envoy/service/auth/v3/external_auth.proto

import type { SocketAddress as _envoy_service_auth_v3_SocketAddress, SocketAddress__Output as _envoy_service_auth_v3_SocketAddress__Output } from '../../../../envoy/service/auth/v3/SocketAddress.js';

/**
 * envoy.config.core.v3.Address
 */
export interface Address {
  'socketAddress'?: (_envoy_service_auth_v3_SocketAddress | null);
  'address'?: "socketAddress";
}

/**
 * envoy.config.core.v3.Address
 */
export interface Address__Output {
  'socketAddress'?: (_envoy_service_auth_v3_SocketAddress__Output | null);
  'address'?: "socketAddress";
}
