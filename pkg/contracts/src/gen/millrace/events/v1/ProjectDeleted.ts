// Original file: proto/events/v1/events.proto


/**
 * Topic project.deleted: nobody can reach the project any more, and whoever keeps rows of it removes them. Key = project id.
 */
export interface ProjectDeleted {
  'projectId'?: (string);
  'slug'?: (string);
}

/**
 * Topic project.deleted: nobody can reach the project any more, and whoever keeps rows of it removes them. Key = project id.
 */
export interface ProjectDeleted__Output {
  'projectId': (string);
  'slug': (string);
}
