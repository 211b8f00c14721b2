export type * from '../gen/millrace/common/v1/Failure.js'
