// Original file: proto/scheduler/v1/control.proto


export interface ListQueuesRequest {
  'projectId'?: (string);
  'withShared'?: (boolean);
  'limit'?: (number);
  /**
   * By name, strictly after this one.
   */
  'afterName'?: (string);
  /**
   * Only this one.
   */
  'name'?: (string);
  /**
   * By depth, the deepest first, those of one depth by name; strictly after (after_depth, after_name).
   */
  'deepestFirst'?: (boolean);
  'afterDepth'?: (number);
}

export interface ListQueuesRequest__Output {
  'projectId': (string);
  'withShared': (boolean);
  'limit': (number);
  /**
   * By name, strictly after this one.
   */
  'afterName': (string);
  /**
   * Only this one.
   */
  'name': (string);
  /**
   * By depth, the deepest first, those of one depth by name; strictly after (after_depth, after_name).
   */
  'deepestFirst': (boolean);
  'afterDepth': (number);
}
