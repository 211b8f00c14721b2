// Original file: proto/scheduler/v1/dispatch.proto


export interface Session {
  'id'?: (string);
  'secret'?: (string);
}

export interface Session__Output {
  'id': (string);
  'secret': (string);
}
