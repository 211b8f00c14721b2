import { secret, string, url } from './fields.js'
import { ConfigError, type ConfigOf } from './read-config.js'

const http = { default: undefined, protocols: ['http', 'https'] }

/** Of a bucket and how to reach it. */
export const s3Fields = {
  s3Bucket: string('MILLRACE_S3_BUCKET', {
    default: undefined,
    pattern: /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/,
    wanted: 'the name of a bucket',
  }),
  s3Endpoint: url('MILLRACE_S3_ENDPOINT', http),
  s3PublicUrl: url('MILLRACE_S3_PUBLIC_URL', http),
  s3Region: string('MILLRACE_S3_REGION', { default: 'us-east-1' }),
  s3AccessKey: string('MILLRACE_S3_ACCESS_KEY', { default: undefined }),
  s3SecretKey: secret('MILLRACE_S3_SECRET_KEY', { default: undefined }),
}

export interface S3Options {
  bucket: string
  region: string
  endpoint: string | undefined
  publicUrl: string | undefined
  credentials: { accessKeyId: string; secretAccessKey: string } | undefined
}

/** Undefined when no bucket is named. */
export function s3Options(values: ConfigOf<typeof s3Fields>): S3Options | undefined {
  const { s3Bucket: bucket, s3Region: region, s3Endpoint: endpoint, s3PublicUrl: publicUrl } = values
  const { s3AccessKey: accessKeyId, s3SecretKey: secretAccessKey } = values
  if (bucket === undefined) return undefined
  if ((accessKeyId === undefined) !== (secretAccessKey === undefined)) {
    throw new ConfigError(['MILLRACE_S3_ACCESS_KEY and MILLRACE_S3_SECRET_KEY are set together, or neither is'])
  }
  const credentials =
    accessKeyId === undefined || secretAccessKey === undefined ? undefined : { accessKeyId, secretAccessKey }
  return { bucket, region, endpoint, publicUrl, credentials }
}
