// Original file: proto/scheduler/v1/schedule.proto


export interface PreviewBackfillRequest {
  'id'?: (string);
  'projectId'?: (string);
  'from'?: (string);
  'to'?: (string);
}

export interface PreviewBackfillRequest__Output {
  'id': (string);
  'projectId': (string);
  'from': (string);
  'to': (string);
}
