// Original file: proto/scheduler/v1/scheduler.proto


export interface DeleteDeadLetterResponse {
}

export interface DeleteDeadLetterResponse__Output {
}
