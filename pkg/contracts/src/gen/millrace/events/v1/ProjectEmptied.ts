// Original file: proto/events/v1/events.proto


/**
 * Topic project.emptied: the scheduler has nothing of a deleted project any more, so nobody needs its definitions.
 */
export interface ProjectEmptied {
  'projectId'?: (string);
}

/**
 * Topic project.emptied: the scheduler has nothing of a deleted project any more, so nobody needs its definitions.
 */
export interface ProjectEmptied__Output {
  'projectId': (string);
}
