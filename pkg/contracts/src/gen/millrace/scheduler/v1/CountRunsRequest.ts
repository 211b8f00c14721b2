// Original file: proto/scheduler/v1/scheduler.proto


export interface CountRunsRequest {
  'projectId'?: (string);
  'workflow'?: (string);
  /**
   * RFC 3339; half open [from, to).
   */
  'from'?: (string);
  'to'?: (string);
  /**
   * As in ListRunsRequest.
   */
  'requestedIds'?: (string)[];
}

export interface CountRunsRequest__Output {
  'projectId': (string);
  'workflow': (string);
  /**
   * RFC 3339; half open [from, to).
   */
  'from': (string);
  'to': (string);
  /**
   * As in ListRunsRequest.
   */
  'requestedIds': (string)[];
}
