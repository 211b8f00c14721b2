// Original file: proto/scheduler/v1/scheduler.proto


export interface TakeRunsResponse {
}

export interface TakeRunsResponse__Output {
}
