// Original file: proto/events/v1/events.proto


/**
 * Topic schedule.missed: ticks of a schedule that have no run. Key = project id, as of the two below; of one subject at
 * most once in five minutes, with how often it happened since.
 */
export interface ScheduleMissed {
  'projectId'?: (string);
  'scheduleId'?: (string);
  'workflow'?: (string);
  'name'?: (string);
  /**
   * downtime: nobody was there when they came due, and the schedule does not catch up. refused: the run could not start.
   */
  'reason'?: (string);
  /**
   * RFC 3339, UTC.
   */
  'firstTick'?: (string);
  'lastTick'?: (string);
  /**
   * Of a refusal.
   */
  'code'?: (string);
  'message'?: (string);
  'count'?: (number);
}

/**
 * Topic schedule.missed: ticks of a schedule that have no run. Key = project id, as of the two below; of one subject at
 * most once in five minutes, with how often it happened since.
 */
export interface ScheduleMissed__Output {
  'projectId': (string);
  'scheduleId': (string);
  'workflow': (string);
  'name': (string);
  /**
   * downtime: nobody was there when they came due, and the schedule does not catch up. refused: the run could not start.
   */
  'reason': (string);
  /**
   * RFC 3339, UTC.
   */
  'firstTick': (string);
  'lastTick': (string);
  /**
   * Of a refusal.
   */
  'code': (string);
  'message': (string);
  'count': (number);
}
