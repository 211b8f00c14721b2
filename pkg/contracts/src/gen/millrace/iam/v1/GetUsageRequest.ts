// Original file: proto/iam/v1/iam.proto


export interface GetUsageRequest {
  /**
   * By slug when the id is empty.
   */
  'projectId'?: (string);
  'slug'?: (string);
}

export interface GetUsageRequest__Output {
  /**
   * By slug when the id is empty.
   */
  'projectId': (string);
  'slug': (string);
}
