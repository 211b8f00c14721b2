// Original file: proto/events/v1/events.proto

import type { Long } from '@grpc/proto-loader';

/**
 * Topic artifact.created.
 */
export interface ArtifactCreated {
  'artifactId'?: (string);
  'projectId'?: (string);
  'runId'?: (string);
  'task'?: (string);
  'name'?: (string);
  'size'?: (number | string | Long);
  'sha256'?: (string);
  'contentType'?: (string);
}

/**
 * Topic artifact.created.
 */
export interface ArtifactCreated__Output {
  'artifactId': (string);
  'projectId': (string);
  'runId': (string);
  'task': (string);
  'name': (string);
  'size': (number);
  'sha256': (string);
  'contentType': (string);
}
