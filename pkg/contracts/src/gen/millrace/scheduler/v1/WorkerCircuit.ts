// Original file: proto/scheduler/v1/control.proto


export interface WorkerCircuit {
  'uses'?: (string);
  /**
   * host:port
   */
  'peer'?: (string);
  'retryAt'?: (string);
}

export interface WorkerCircuit__Output {
  'uses': (string);
  /**
   * host:port
   */
  'peer': (string);
  'retryAt': (string);
}
