// Original file: proto/scheduler/v1/scheduler.proto


export interface ListActivityRequest {
  'projectId'?: (string);
  /**
   * At most 200.
   */
  'workflows'?: (string)[];
  /**
   * Ended runs of each.
   */
  'limit'?: (number);
}

export interface ListActivityRequest__Output {
  'projectId': (string);
  /**
   * At most 200.
   */
  'workflows': (string)[];
  /**
   * Ended runs of each.
   */
  'limit': (number);
}
