// Original file: proto/scheduler/v1/schedule.proto


export interface DeleteScheduleResponse {
}

export interface DeleteScheduleResponse__Output {
}
