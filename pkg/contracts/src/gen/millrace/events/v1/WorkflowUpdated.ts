// Original file: proto/events/v1/events.proto


/**
 * Topic workflow.updated: the run's status changed; `sequence` of the envelope is the run's rev.
 */
export interface WorkflowUpdated {
  'runId'?: (string);
  'projectId'?: (string);
  'workflow'?: (string);
  'version'?: (number);
  'status'?: (string);
  'reason'?: (string);
  'generation'?: (number);
}

/**
 * Topic workflow.updated: the run's status changed; `sequence` of the envelope is the run's rev.
 */
export interface WorkflowUpdated__Output {
  'runId': (string);
  'projectId': (string);
  'workflow': (string);
  'version': (number);
  'status': (string);
  'reason': (string);
  'generation': (number);
}
