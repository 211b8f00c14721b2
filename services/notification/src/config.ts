import {
  boolean,
  ConfigError,
  derivedKey,
  type Env,
  type EventsConfig,
  type Field,
  integer,
  list,
  previousKey,
  readConfig,
  serviceFields,
  serviceIdentity,
  string,
  url,
} from '@millrace/config'
import type { ServiceIdentity } from '@millrace/identity'
import type { LogLevel } from '@millrace/logger'
import { defaultRetryScheduleMs } from './domain/retry-schedule.js'

export interface NotificationConfig {
  databaseUrl: string
  /** The Postgres log unless set. */
  events?: EventsConfig
  http: { host: string; port: number }
  identity: ServiceIdentity
  iamGrpc: string
  logLevel: LogLevel
  /** Where people reach the platform: links to runs begin with it; without it there are none. */
  publicUrl?: string | undefined
  /** Encrypts what subscriptions keep secret. */
  secretKey: Buffer
  /** The one before, while what it sealed is sealed anew. */
  previousSecretKey?: Buffer | undefined
  delivery?: Partial<DeliveryConfig>
  /** Used only when no mailer, or no egress, is handed in. */
  mail?: { smtpUrl?: string | undefined; directory?: string | undefined; from?: string | undefined }
  egress?: { allowPrivate: boolean; allow: string[] }
}

export interface DeliveryConfig {
  retryScheduleMs: readonly number[]
  timeoutMs: number
  /** How long a sender may hold a delivery; longer than any send takes. */
  claimMs: number
  pollMs: number
  maxConcurrent: number
  maxPerEndpoint: number
  disableAfterFailures: number
  disableAfterMs: number
  retentionMs: number
  /** Of one project in an hour; what comes beyond is collected. */
  mailsPerRecipient: number
  overflowDigestMs: number
}

const day = 86_400_000

export const defaultDelivery: DeliveryConfig = {
  retryScheduleMs: defaultRetryScheduleMs,
  timeoutMs: 10_000,
  claimMs: 40_000,
  pollMs: 500,
  maxConcurrent: 128,
  maxPerEndpoint: 8,
  disableAfterFailures: 10,
  disableAfterMs: 3 * day,
  retentionMs: 30 * day,
  mailsPerRecipient: 20,
  overflowDigestMs: 15 * 60_000,
}

export function readNotificationConfig(env: Env): NotificationConfig {
  const { databaseUrl, host, httpPort, iamGrpc, logLevel, events } = serviceFields
  const values = readConfig(env, {
    ...{ databaseUrl, host, httpPort, iamGrpc, logLevel, events },
    identity: serviceIdentity('notification'),
    secretKey: derivedKey<Buffer>('MILLRACE_NOTIFICATION_KEY'),
    previousSecretKey: previousKey('MILLRACE_NOTIFICATION_KEY'),
    publicUrl: url('MILLRACE_PUBLIC_URL', { default: undefined, protocols: ['http', 'https'] }),
    retryScheduleMs: retrySchedule('MILLRACE_WEBHOOK_RETRY_SCHEDULE'),
    disableAfterFailures: integer('MILLRACE_WEBHOOK_DISABLE_AFTER', {
      default: defaultDelivery.disableAfterFailures,
      min: 1,
    }),
    mailsPerRecipient: integer('MILLRACE_RATE_LIMIT_MAIL_RECIPIENT', {
      default: defaultDelivery.mailsPerRecipient,
      min: 1,
    }),
    smtpUrl: url('MILLRACE_SMTP_URL', { default: undefined, protocols: ['smtp', 'smtps'] }),
    mailDirectory: string('MILLRACE_MAIL_DIR', { default: undefined }),
    mailFrom: string('MILLRACE_MAIL_FROM', { default: undefined }),
    allowPrivate: boolean('MILLRACE_ALLOW_PRIVATE_NETWORK', { default: false }),
    egressAllow: list('MILLRACE_EGRESS_ALLOW', { default: [] }),
  })
  if (values.smtpUrl === undefined && values.mailDirectory === undefined) {
    throw new ConfigError(['MILLRACE_SMTP_URL is required, or MILLRACE_MAIL_DIR for mail as files'])
  }
  return {
    databaseUrl: values.databaseUrl,
    events: values.events,
    http: { host: values.host, port: values.httpPort },
    identity: values.identity,
    iamGrpc: values.iamGrpc,
    logLevel: values.logLevel,
    publicUrl: values.publicUrl?.replace(/(?<!\/)\/+$/, ''),
    secretKey: values.secretKey,
    previousSecretKey: values.previousSecretKey,
    delivery: {
      retryScheduleMs: values.retryScheduleMs,
      disableAfterFailures: values.disableAfterFailures,
      mailsPerRecipient: values.mailsPerRecipient,
    },
    mail: { smtpUrl: values.smtpUrl, directory: values.mailDirectory, from: values.mailFrom },
    egress: { allowPrivate: values.allowPrivate, allow: values.egressAllow },
  }
}

const unitMs: Record<string, number> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 }
const longestSchedule = 50

/** A comma list of waits, such as `1s,5s,1m`; undefined when one of them is not a duration. */
export function parseRetrySchedule(text: string): number[] | undefined {
  const waits = text.split(',').map((part) => {
    const match = /^(\d{1,9})(ms|s|m|h|d)$/.exec(part.trim())
    return match ? Number(match[1]) * (unitMs[match[2] ?? ''] ?? Number.NaN) : Number.NaN
  })
  const sound = waits.length <= longestSchedule && waits.every((wait) => wait <= 30 * day)
  return sound ? waits : undefined
}

function retrySchedule(name: string): Field<readonly number[]> {
  return {
    name,
    settings: [{ name, kind: 'list', required: false, default: undefined }],
    read(env) {
      const text = env[name]?.trim()
      if (text === undefined || text === '') return { value: defaultRetryScheduleMs }
      const value = parseRetrySchedule(text)
      if (value !== undefined) return { value }
      return {
        fault: `${name} must be a comma list of at most ${longestSchedule} waits of up to 30d, such as 1s,5s,1m`,
      }
    },
  }
}
