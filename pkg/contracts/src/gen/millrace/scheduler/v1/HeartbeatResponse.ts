// Original file: proto/scheduler/v1/dispatch.proto


export interface HeartbeatResponse {
  /**
   * Leases named that are no longer this worker's: stop working on them.
   */
  'lostLeaseIds'?: (string)[];
  'leaseMs'?: (number);
}

export interface HeartbeatResponse__Output {
  /**
   * Leases named that are no longer this worker's: stop working on them.
   */
  'lostLeaseIds': (string)[];
  'leaseMs': (number);
}
