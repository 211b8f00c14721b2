// Original file: proto/scheduler/v1/scheduler.proto


export interface FindOutputUsersResponse {
  /**
   * Artifact id to run id; without those that nobody refers to.
   */
  'runIds'?: ({[key: string]: string});
}

export interface FindOutputUsersResponse__Output {
  /**
   * Artifact id to run id; without those that nobody refers to.
   */
  'runIds': ({[key: string]: string});
}
