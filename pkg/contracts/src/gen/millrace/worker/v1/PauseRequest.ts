// Original file: /work/main/proto/worker/v1/worker.proto


export interface PauseRequest {
}

export interface PauseRequest__Output {
}
