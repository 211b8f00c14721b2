// Original file: proto/iam/v1/iam.proto


export interface GetJwksRequest {
}

export interface GetJwksRequest__Output {
}
