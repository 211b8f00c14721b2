// Original file: proto/scheduler/v1/run.proto


export interface WaitingFor {
  /**
   * approval, signal, run, map.
   */
  'kind'?: (string);
  /**
   * Of an approval.
   */
  'role'?: (string);
  'message'?: (string);
  /**
   * Of a signal.
   */
  'name'?: (string);
  /**
   * The child run; empty until it is made.
   */
  'runId'?: (string);
  /**
   * Items of a map that have ended, and all of them.
   */
  'done'?: (number);
  'total'?: (number);
}

export interface WaitingFor__Output {
  /**
   * approval, signal, run, map.
   */
  'kind': (string);
  /**
   * Of an approval.
   */
  'role': (string);
  'message': (string);
  /**
   * Of a signal.
   */
  'name': (string);
  /**
   * The child run; empty until it is made.
   */
  'runId': (string);
  /**
   * Items of a map that have ended, and all of them.
   */
  'done': (number);
  'total': (number);
}
