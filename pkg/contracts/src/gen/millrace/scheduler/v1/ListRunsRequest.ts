// Original file: proto/scheduler/v1/scheduler.proto


export interface ListRunsRequest {
  'projectId'?: (string);
  'workflow'?: (string);
  'statuses'?: (string)[];
  /**
   * `key=value`; all must match.
   */
  'labels'?: ({[key: string]: string});
  /**
   * RFC 3339; half open [from, to).
   */
  'from'?: (string);
  'to'?: (string);
  /**
   * Part of the workflow's name, or of the code or message of the error that failed the run; or a whole id.
   */
  'query'?: (string);
  'limit'?: (number);
  /**
   * Newest first; strictly behind (created_at, id) in that order.
   */
  'beforeCreatedAt'?: (string);
  'beforeId'?: (string);
  /**
   * Ids of run requests that the caller is about to show: the answer says which of them the scheduler has.
   */
  'requestedIds'?: (string)[];
  /**
   * The other order.
   */
  'oldestFirst'?: (boolean);
  /**
   * Only runs that failed, with exactly this code.
   */
  'errorCode'?: (string);
}

export interface ListRunsRequest__Output {
  'projectId': (string);
  'workflow': (string);
  'statuses': (string)[];
  /**
   * `key=value`; all must match.
   */
  'labels': ({[key: string]: string});
  /**
   * RFC 3339; half open [from, to).
   */
  'from': (string);
  'to': (string);
  /**
   * Part of the workflow's name, or of the code or message of the error that failed the run; or a whole id.
   */
  'query': (string);
  'limit': (number);
  /**
   * Newest first; strictly behind (created_at, id) in that order.
   */
  'beforeCreatedAt': (string);
  'beforeId': (string);
  /**
   * Ids of run requests that the caller is about to show: the answer says which of them the scheduler has.
   */
  'requestedIds': (string)[];
  /**
   * The other order.
   */
  'oldestFirst': (boolean);
  /**
   * Only runs that failed, with exactly this code.
   */
  'errorCode': (string);
}
