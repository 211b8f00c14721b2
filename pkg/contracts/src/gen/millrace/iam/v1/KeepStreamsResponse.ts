// Original file: proto/iam/v1/iam.proto


export interface KeepStreamsResponse {
}

export interface KeepStreamsResponse__Output {
}
