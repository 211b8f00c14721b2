import { join } from 'node:path'
import {
  ConfigError,
  type ConfigOf,
  derivedKey,
  type Env,
  type EventsConfig,
  integer,
  previousKey,
  readConfig,
  s3Fields,
  s3Options,
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

export function readArtifactConfig(env: Env): ArtifactConfig {
  const { databaseUrl, host, httpPort, iamGrpc, schedulerGrpc, logLevel, events } = serviceFields
  const values = readConfig(env, {
    ...{ databaseUrl, host, httpPort, iamGrpc, schedulerGrpc, logLevel, events },
    identity: serviceIdentity('artifact'),
    dataDir: string('MILLRACE_DATA_DIR', { default: '.millrace' }),
    directory: string('MILLRACE_ARTIFACT_DIR', { default: undefined }),
    signingKey: derivedKey('MILLRACE_ARTIFACT_KEY', { default: undefined }),
    previousSigningKey: previousKey('MILLRACE_ARTIFACT_KEY'),
    publicUrl: url('MILLRACE_PUBLIC_URL', { default: undefined, protocols: ['http', 'https'] }),
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

interface StoreValues extends ConfigOf<typeof s3Fields> {
  dataDir: string
  directory: string | undefined
  signingKey: Buffer | undefined
  previousSigningKey: Buffer | undefined
}

function storeOf(values: StoreValues): Pick<ArtifactConfig, 'files' | 's3'> {
  const s3 = s3Options(values)
  if (s3 !== undefined) return { s3 }
  const { signingKey, previousSigningKey } = values
  if (signingKey === undefined) {
    throw new ConfigError(['MILLRACE_ARTIFACT_KEY is required unless MILLRACE_S3_BUCKET is set'])
  }
  const directory = values.directory ?? join(values.dataDir, 'artifacts')
  return { files: { directory, signingKey, previousSigningKey } }
}
