// Original file: proto/envoy/service/auth/v3/external_auth.proto


/**
 * google.rpc.Status
 */
export interface Status {
  'code'?: (number);
  'message'?: (string);
}

/**
 * google.rpc.Status
 */
export interface Status__Output {
  'code': (number);
  'message': (string);
}
