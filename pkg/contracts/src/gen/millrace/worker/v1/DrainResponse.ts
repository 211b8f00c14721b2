// Original file: proto/worker/v1/worker.proto


export interface DrainResponse {
  /**
   * False when tasks were still running at the time limit.
   */
  'drained'?: (boolean);
}

export interface DrainResponse__Output {
  /**
   * False when tasks were still running at the time limit.
   */
  'drained': (boolean);
}
