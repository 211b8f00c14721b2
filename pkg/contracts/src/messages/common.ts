export type * from '../gen/millrace/common/v1/Failure.js'
export type * from '../gen/millrace/common/v1/ParentTask.js'
export type * from '../gen/millrace/common/v1/RerunSource.js'
