// Original file: proto/iam/v1/iam.proto


export interface ReportStorageResponse {
}

export interface ReportStorageResponse__Output {
}
