// Original file: proto/envoy/service/auth/v3/external_auth.proto


/**
 * envoy.type.v3.HttpStatus; the enum's values are the status codes themselves.
 */
export interface HttpStatus {
  'code'?: (number);
}

/**
 * envoy.type.v3.HttpStatus; the enum's values are the status codes themselves.
 */
export interface HttpStatus__Output {
  'code': (number);
}
