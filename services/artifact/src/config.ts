import { hkdfSync } from 'node:crypto'
import { join } from 'node:path'
import { type Env, integer, masterKey, readConfig, serviceFields, string } from '@millrace/config'
import type { LogLevel } from '@millrace/logger'

export interface ArtifactConfig {
  databaseUrl: string
  http: { host: string; port: number }
  serviceSecret: string
  iamGrpc: string
  schedulerGrpc: string
  logLevel: LogLevel
  /** Used only when no object store is handed in. */
  files: { directory: string; signingKey: Buffer }
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
  const { databaseUrl, host, httpPort, serviceSecret, iamGrpc, schedulerGrpc, logLevel } = serviceFields
  const values = readConfig(env, {
    ...{ databaseUrl, host, httpPort, serviceSecret, iamGrpc, schedulerGrpc, logLevel },
    dataDir: string('MILLRACE_DATA_DIR', { default: '.millrace' }),
    directory: string('MILLRACE_ARTIFACT_DIR', { default: undefined }),
    masterKey: masterKey('MILLRACE_MASTER_KEY', { default: undefined }),
    maxBytes: integer('MILLRACE_ARTIFACT_MAX_BYTES', { default: defaultLimits.maxBytes, min: 1 }),
    retentionDays: integer('MILLRACE_ARTIFACT_RETENTION_DAYS', { default: undefined, min: 1, max: 36_500 }),
    archivedRetentionDays: integer('MILLRACE_ARTIFACT_ARCHIVED_RETENTION_DAYS', {
      default: undefined,
      min: 1,
      max: 36_500,
    }),
  })
  const { retentionDays, archivedRetentionDays, maxBytes } = values
  return {
    databaseUrl: values.databaseUrl,
    http: { host: values.host, port: values.httpPort },
    serviceSecret: values.serviceSecret,
    iamGrpc: values.iamGrpc,
    schedulerGrpc: values.schedulerGrpc,
    logLevel: values.logLevel,
    files: {
      directory: values.directory ?? join(values.dataDir, 'artifacts'),
      signingKey: deriveSigningKey(values.masterKey ?? values.serviceSecret),
    },
    limits: { maxBytes, retentionDays, archivedRetentionDays },
  }
}

/** Each use of a secret has a key of its own. */
function deriveSigningKey(from: Buffer | string): Buffer {
  return Buffer.from(hkdfSync('sha256', from, '', 'millrace artifact signed urls', 32))
}
