// Original file: proto/scheduler/v1/control.proto


export interface WorkerTotals {
  'active'?: (number);
  'lost'?: (number);
  /**
   * Of the active ones.
   */
  'slots'?: (number);
  'used'?: (number);
}

export interface WorkerTotals__Output {
  'active': (number);
  'lost': (number);
  /**
   * Of the active ones.
   */
  'slots': (number);
  'used': (number);
}
