// Original file: proto/scheduler/v1/dispatch.proto


export interface RegisterResponse {
  'sessionId'?: (string);
  /**
   * Proves ownership of the session in every later call; shown only here.
   */
  'sessionSecret'?: (string);
  'workerId'?: (string);
  'leaseMs'?: (number);
  'heartbeatMs'?: (number);
}

export interface RegisterResponse__Output {
  'sessionId': (string);
  /**
   * Proves ownership of the session in every later call; shown only here.
   */
  'sessionSecret': (string);
  'workerId': (string);
  'leaseMs': (number);
  'heartbeatMs': (number);
}
