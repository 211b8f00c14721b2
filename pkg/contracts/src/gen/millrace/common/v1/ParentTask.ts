// Original file: proto/common/v1/run_origin.proto


/**
 * The task of another run that a run is a child of.
 */
export interface ParentTask {
  'runId'?: (string);
  'taskId'?: (string);
  'key'?: (string);
  /**
   * Place in a map; -1 = not a map's child.
   */
  'index'?: (number);
  /**
   * The attempt that the child stands for.
   */
  'attempt'?: (number);
  /**
   * Of the child: 1 for the child of a run that is nobody's child.
   */
  'depth'?: (number);
}

/**
 * The task of another run that a run is a child of.
 */
export interface ParentTask__Output {
  'runId': (string);
  'taskId': (string);
  'key': (string);
  /**
   * Place in a map; -1 = not a map's child.
   */
  'index': (number);
  /**
   * The attempt that the child stands for.
   */
  'attempt': (number);
  /**
   * Of the child: 1 for the child of a run that is nobody's child.
   */
  'depth': (number);
}
