// Original file: proto/scheduler/v1/schedule.proto


export interface BackfillScheduleResponse {
  /**
   * Ticks of the range, also those whose runs exist already.
   */
  'ticks'?: (number);
}

export interface BackfillScheduleResponse__Output {
  /**
   * Ticks of the range, also those whose runs exist already.
   */
  'ticks': (number);
}
