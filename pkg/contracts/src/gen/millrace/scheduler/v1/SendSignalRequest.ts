// Original file: proto/scheduler/v1/scheduler.proto


export interface SendSignalRequest {
  'runId'?: (string);
  'projectId'?: (string);
  'name'?: (string);
  'payloadJson'?: (string);
  /**
   * The same key is taken once.
   */
  'dedupeKey'?: (string);
}

export interface SendSignalRequest__Output {
  'runId': (string);
  'projectId': (string);
  'name': (string);
  'payloadJson': (string);
  /**
   * The same key is taken once.
   */
  'dedupeKey': (string);
}
