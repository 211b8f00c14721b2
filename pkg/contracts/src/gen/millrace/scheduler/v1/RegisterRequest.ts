// Original file: proto/scheduler/v1/dispatch.proto


export interface RegisterRequest {
  'name'?: (string);
  /**
   * Values of `uses` that this worker executes.
   */
  'executors'?: (string)[];
  'queues'?: (string)[];
  'concurrency'?: (number);
  'sdk'?: (string);
  /**
   * Of the worker's own code.
   */
  'version'?: (string);
  /**
   * It was paused and lost its session: it begins paused.
   */
  'paused'?: (boolean);
}

export interface RegisterRequest__Output {
  'name': (string);
  /**
   * Values of `uses` that this worker executes.
   */
  'executors': (string)[];
  'queues': (string)[];
  'concurrency': (number);
  'sdk': (string);
  /**
   * Of the worker's own code.
   */
  'version': (string);
  /**
   * It was paused and lost its session: it begins paused.
   */
  'paused': (boolean);
}
