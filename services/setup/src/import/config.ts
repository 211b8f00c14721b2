import {
  ConfigError,
  type Env,
  readConfig,
  type S3Options,
  s3Fields,
  s3Options,
  serviceFields,
  url,
} from '@millrace/config'
import type { LogLevel } from '@millrace/logger'

export interface ImportConfig {
  /** Of the administrator; the standalone's dump was restored there. */
  databaseUrl: string
  mongoUrl: string
  s3: S3Options
  logLevel: LogLevel
}

export function readImportConfig(env: Env): ImportConfig {
  const { databaseUrl, logLevel } = serviceFields
  const values = readConfig(env, {
    ...{ databaseUrl, logLevel },
    mongoUrl: url<never>('MILLRACE_MONGO_URL', { protocols: ['mongodb', 'mongodb+srv'] }),
    ...s3Fields,
  })
  const s3 = s3Options(values)
  if (s3 === undefined) throw new ConfigError(['MILLRACE_S3_BUCKET is required'])
  return { databaseUrl: values.databaseUrl, mongoUrl: values.mongoUrl, s3, logLevel: values.logLevel }
}
