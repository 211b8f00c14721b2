// Original file: proto/envoy/service/auth/v3/external_auth.proto


/**
 * envoy.config.core.v3.HeaderValue
 */
export interface HeaderValue {
  'key'?: (string);
  'value'?: (string);
}

/**
 * envoy.config.core.v3.HeaderValue
 */
export interface HeaderValue__Output {
  'key': (string);
  'value': (string);
}
