// Original file: proto/envoy/service/auth/v3/external_auth.proto


/**
 * envoy.config.core.v3.SocketAddress
 */
export interface SocketAddress {
  'address'?: (string);
  'portValue'?: (number);
}

/**
 * envoy.config.core.v3.SocketAddress
 */
export interface SocketAddress__Output {
  'address': (string);
  'portValue': (number);
}
