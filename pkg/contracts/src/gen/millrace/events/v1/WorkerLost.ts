// Original file: proto/events/v1/events.proto


/**
 * Topic worker.lost: workers of one name fell silent, or died. For a shared worker: to each project whose tasks it held.
 */
export interface WorkerLost {
  'projectId'?: (string);
  'name'?: (string);
  /**
   * At most 20.
   */
  'workerIds'?: (string)[];
  /**
   * What they held; it is queued again.
   */
  'tasks'?: (number);
  'shared'?: (boolean);
  'count'?: (number);
}

/**
 * Topic worker.lost: workers of one name fell silent, or died. For a shared worker: to each project whose tasks it held.
 */
export interface WorkerLost__Output {
  'projectId': (string);
  'name': (string);
  /**
   * At most 20.
   */
  'workerIds': (string)[];
  /**
   * What they held; it is queued again.
   */
  'tasks': (number);
  'shared': (boolean);
  'count': (number);
}
