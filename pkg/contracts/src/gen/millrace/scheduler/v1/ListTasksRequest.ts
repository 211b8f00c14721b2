// Original file: proto/scheduler/v1/scheduler.proto


export interface ListTasksRequest {
  'runId'?: (string);
  'projectId'?: (string);
  'key'?: (string);
  /**
   * One or several, separated by commas.
   */
  'status'?: (string);
  'limit'?: (number);
  'cursor'?: (string);
}

export interface ListTasksRequest__Output {
  'runId': (string);
  'projectId': (string);
  'key': (string);
  /**
   * One or several, separated by commas.
   */
  'status': (string);
  'limit': (number);
  'cursor': (string);
}
