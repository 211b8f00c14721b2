export type * from '../gen/millrace/metadata/v1/AppendRequest.js'
export type * from '../gen/millrace/metadata/v1/AppendResponse.js'
export type * from '../gen/millrace/metadata/v1/LogLine.js'
export type * from '../gen/millrace/metadata/v1/LogService.js'
