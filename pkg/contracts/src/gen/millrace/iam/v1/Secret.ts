// Original file: proto/iam/v1/iam.proto


export interface Secret {
  'name'?: (string);
  'value'?: (string);
}

export interface Secret__Output {
  'name': (string);
  'value': (string);
}
