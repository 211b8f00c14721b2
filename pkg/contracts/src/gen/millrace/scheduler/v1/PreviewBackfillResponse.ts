// Original file: proto/scheduler/v1/schedule.proto


export interface PreviewBackfillResponse {
  'ticks'?: (number);
  /**
   * Empty when there is none.
   */
  'first'?: (string);
  'last'?: (string);
}

export interface PreviewBackfillResponse__Output {
  'ticks': (number);
  /**
   * Empty when there is none.
   */
  'first': (string);
  'last': (string);
}
