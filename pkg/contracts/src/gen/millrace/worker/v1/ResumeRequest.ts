// Original file: proto/worker/v1/worker.proto


export interface ResumeRequest {
}

export interface ResumeRequest__Output {
}
