// Original file: proto/events/v1/events.proto


/**
 * Topic runs.deleted: these runs are gone, and whoever keeps something of them removes it. Published again while events of
 * a run that had just ended may still be under way.
 */
export interface RunsDeleted {
  /**
   * Empty when it is published again.
   */
  'projectId'?: (string);
  'runIds'?: (string)[];
}

/**
 * Topic runs.deleted: these runs are gone, and whoever keeps something of them removes it. Published again while events of
 * a run that had just ended may still be under way.
 */
export interface RunsDeleted__Output {
  /**
   * Empty when it is published again.
   */
  'projectId': (string);
  'runIds': (string)[];
}
