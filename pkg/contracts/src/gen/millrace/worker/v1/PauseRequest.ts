// Original file: proto/worker/v1/worker.proto


export interface PauseRequest {
}

export interface PauseRequest__Output {
}
