// Original file: proto/worker/v1/worker.proto


export interface GetStatusRequest {
}

export interface GetStatusRequest__Output {
}
