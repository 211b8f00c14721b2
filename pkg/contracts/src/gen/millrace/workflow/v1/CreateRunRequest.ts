// Original file: proto/workflow/v1/workflow.proto


export interface CreateRunRequest {
  'projectId'?: (string);
  'workflow'?: (string);
  /**
   * 0 = newest.
   */
  'version'?: (number);
  /**
   * Empty = no input.
   */
  'inputJson'?: (string);
  /**
   * 0–9, 9 first; absent = 5.
   */
  'priority'?: (number);
  'labels'?: ({[key: string]: string});
  /**
   * Empty = every call makes a new run.
   */
  'dedupeKey'?: (string);
  /**
   * Who asked, such as `user:<id>`.
   */
  'requestedBy'?: (string);
  /**
   * Submitted, not started, until it is resumed.
   */
  'hold'?: (boolean);
  /**
   * RFC 3339, UTC: not before then. Empty = at once.
   */
  'startAt'?: (string);
  '_priority'?: "priority";
}

export interface CreateRunRequest__Output {
  'projectId': (string);
  'workflow': (string);
  /**
   * 0 = newest.
   */
  'version': (number);
  /**
   * Empty = no input.
   */
  'inputJson': (string);
  /**
   * 0–9, 9 first; absent = 5.
   */
  'priority'?: (number);
  'labels': ({[key: string]: string});
  /**
   * Empty = every call makes a new run.
   */
  'dedupeKey': (string);
  /**
   * Who asked, such as `user:<id>`.
   */
  'requestedBy': (string);
  /**
   * Submitted, not started, until it is resumed.
   */
  'hold': (boolean);
  /**
   * RFC 3339, UTC: not before then. Empty = at once.
   */
  'startAt': (string);
  '_priority'?: "priority";
}
