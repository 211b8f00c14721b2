import { join } from 'node:path'
import {
  ConfigError,
  derivedKey,
  type Env,
  type EventsConfig,
  integer,
  previousKey,
  readConfig,
  secret,
  serviceFields,
  serviceIdentity,
  string,
  url,
} from '@millrace/config'
import type { ServiceIdentity } from '@millrace/identity'
import type { LogLevel } from '@millrace/logger'
import type { S3ObjectStoreOptions } from '@millrace/object-store'

export interface ArtifactConfig {
  databaseUrl: string
  /** The Postgres log unless set. */
  events?: EventsConfig
  http: { host: string; port: number }
  identity: ServiceIdentity
  iamGrpc: string
  schedulerGrpc: string
  logLevel: LogLevel
  /** Used only when no object store is handed in. */
  /** Where content lies unless it is in S3. */
  files?: { directory: string; signingKey: Buffer; previousSigningKey?: Buffer | undefined }
  /** Where clients reach the gateway; without it signed URLs of files are relative to it. */
  publicUrl?: string | undefined
  /** Objects are kept there instead of in files. */
  s3?: S3ObjectStoreOptions | undefined
  limits?: Partial<ArtifactLimits>
}

export interface ArtifactLimits {
  maxBytes: number
  uploadUrlSeconds: number
  /** An upload without a byte for so long is cut off. */
  uploadIdleMs: number
  /** What was announced and not completed by then is dropped. */
  pendingMs: number
  /** Undefined keeps files for good. */
  retentionDays: number | undefined
  /** How long files outlive the archiving of their workflow; undefined: like all others. */
  archivedRetentionDays: number | undefined
  sweepMs: number
}

export const defaultLimits: ArtifactLimits = {
  maxBytes: 5 * 1024 ** 3,
  uploadUrlSeconds: 3_600,
  uploadIdleMs: 60_000,
  pendingMs: 24 * 3_600_000,
  retentionDays: undefined,
  archivedRetentionDays: undefined,
  sweepMs: 60_000,
}

const http = { default: undefined, protocols: ['http', 'https'] }

const s3Fields = {
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

interface S3Values {
  s3Bucket: string | undefined
  s3Endpoint: string | undefined
  s3PublicUrl: string | undefined
  s3Region: string
  s3AccessKey: string | undefined
  s3SecretKey: string | undefined
}

function s3Of(values: S3Values): S3ObjectStoreOptions | undefined {
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

export function readArtifactConfig(env: Env): ArtifactConfig {
  const { databaseUrl, host, httpPort, iamGrpc, schedulerGrpc, logLevel, events } = serviceFields
  const values = readConfig(env, {
    ...{ databaseUrl, host, httpPort, iamGrpc, schedulerGrpc, logLevel, events },
    identity: serviceIdentity('artifact'),
    dataDir: string('MILLRACE_DATA_DIR', { default: '.millrace' }),
    directory: string('MILLRACE_ARTIFACT_DIR', { default: undefined }),
    signingKey: derivedKey('MILLRACE_ARTIFACT_KEY', { default: undefined }),
    previousSigningKey: previousKey('MILLRACE_ARTIFACT_KEY'),
    publicUrl: url('MILLRACE_PUBLIC_URL', http),
    maxBytes: integer('MILLRACE_ARTIFACT_MAX_BYTES', { default: defaultLimits.maxBytes, min: 1 }),
    retentionDays: integer('MILLRACE_ARTIFACT_RETENTION_DAYS', { default: undefined, min: 1, max: 36_500 }),
    archivedRetentionDays: integer('MILLRACE_ARTIFACT_ARCHIVED_RETENTION_DAYS', {
      default: undefined,
      min: 1,
      max: 36_500,
    }),
    ...s3Fields,
  })
  const { retentionDays, archivedRetentionDays, maxBytes } = values
  return {
    databaseUrl: values.databaseUrl,
    events: values.events,
    http: { host: values.host, port: values.httpPort },
    identity: values.identity,
    iamGrpc: values.iamGrpc,
    schedulerGrpc: values.schedulerGrpc,
    logLevel: values.logLevel,
    ...storeOf(values),
    publicUrl: values.publicUrl,
    limits: { maxBytes, retentionDays, archivedRetentionDays },
  }
}

interface StoreValues extends S3Values {
  dataDir: string
  directory: string | undefined
  signingKey: Buffer | undefined
  previousSigningKey: Buffer | undefined
}

function storeOf(values: StoreValues): Pick<ArtifactConfig, 'files' | 's3'> {
  const s3 = s3Of(values)
  if (s3 !== undefined) return { s3 }
  const { signingKey, previousSigningKey } = values
  if (signingKey === undefined) {
    throw new ConfigError(['MILLRACE_ARTIFACT_KEY is required unless MILLRACE_S3_BUCKET is set'])
  }
  const directory = values.directory ?? join(values.dataDir, 'artifacts')
  return { files: { directory, signingKey, previousSigningKey } }
}
