// Original file: proto/scheduler/v1/scheduler.proto


export interface HoldsLeaseRequest {
  'sessionId'?: (string);
  'runId'?: (string);
  /**
   * Whose credential asks: `key:<id>` or `service:worker`. A session of any other credential holds nothing for it.
   */
  'subject'?: (string);
}

export interface HoldsLeaseRequest__Output {
  'sessionId': (string);
  'runId': (string);
  /**
   * Whose credential asks: `key:<id>` or `service:worker`. A session of any other credential holds nothing for it.
   */
  'subject': (string);
}
