// Original file: proto/scheduler/v1/dispatch.proto


export interface DeregisterResponse {
}

export interface DeregisterResponse__Output {
}
