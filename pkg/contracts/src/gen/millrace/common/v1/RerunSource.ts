// Original file: proto/common/v1/run_origin.proto


/**
 * The run that a run repeats.
 */
export interface RerunSource {
  'runId'?: (string);
  /**
   * Where to begin again; empty = everything.
   */
  'from'?: (string);
  /**
   * One child of the map `from`; -1 = all of it.
   */
  'index'?: (number);
}

/**
 * The run that a run repeats.
 */
export interface RerunSource__Output {
  'runId': (string);
  /**
   * Where to begin again; empty = everything.
   */
  'from': (string);
  /**
   * One child of the map `from`; -1 = all of it.
   */
  'index': (number);
}
