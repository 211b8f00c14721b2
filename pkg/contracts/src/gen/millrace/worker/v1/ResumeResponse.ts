// Original file: proto/worker/v1/worker.proto


export interface ResumeResponse {
}

export interface ResumeResponse__Output {
}
