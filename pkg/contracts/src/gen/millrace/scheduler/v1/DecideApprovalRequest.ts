// Original file: proto/scheduler/v1/scheduler.proto


export interface DecideApprovalRequest {
  'runId'?: (string);
  'projectId'?: (string);
  'key'?: (string);
  'approve'?: (boolean);
  'comment'?: (string);
  /**
   * Who decides, such as `user:<id>`, and the role they have in the project.
   */
  'by'?: (string);
  'role'?: (string);
}

export interface DecideApprovalRequest__Output {
  'runId': (string);
  'projectId': (string);
  'key': (string);
  'approve': (boolean);
  'comment': (string);
  /**
   * Who decides, such as `user:<id>`, and the role they have in the project.
   */
  'by': (string);
  'role': (string);
}
