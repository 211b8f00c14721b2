// Original file: proto/scheduler/v1/control.proto


/**
 * Only active workers are counted.
 */
export interface SharedWorkers {
  'alive'?: (number);
  'slots'?: (number);
  /**
   * By the tasks of every project.
   */
  'used'?: (number);
}

/**
 * Only active workers are counted.
 */
export interface SharedWorkers__Output {
  'alive': (number);
  'slots': (number);
  /**
   * By the tasks of every project.
   */
  'used': (number);
}
