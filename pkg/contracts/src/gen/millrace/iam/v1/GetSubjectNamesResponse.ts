// Original file: proto/iam/v1/iam.proto


export interface GetSubjectNamesResponse {
  /**
   * By subject; one that is neither a member nor a key of the project is left out.
   */
  'names'?: ({[key: string]: string});
}

export interface GetSubjectNamesResponse__Output {
  /**
   * By subject; one that is neither a member nor a key of the project is left out.
   */
  'names': ({[key: string]: string});
}
