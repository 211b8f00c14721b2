// Original file: proto/events/v1/events.proto


/**
 * Topic workflow.deleted: a workflow was archived.
 */
export interface WorkflowDeleted {
  'workflowId'?: (string);
  'projectId'?: (string);
  'workflow'?: (string);
}

/**
 * Topic workflow.deleted: a workflow was archived.
 */
export interface WorkflowDeleted__Output {
  'workflowId': (string);
  'projectId': (string);
  'workflow': (string);
}
