// Original file: proto/worker/v1/worker.proto


export interface PauseResponse {
}

export interface PauseResponse__Output {
}
