import { isSpanContextValid, trace } from '@opentelemetry/api'
import { type DestinationStream, destination, type Logger, pino, stdSerializers } from 'pino'

export type { Logger }

export const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const
export type LogLevel = (typeof logLevels)[number]

export interface LoggerOptions {
  service: string
  level?: LogLevel | undefined
  /** Defaults to standard error: standard output belongs to what a person should read. */
  stream?: DestinationStream | undefined
}

const secretFields = [
  'authorization',
  'Authorization',
  'token',
  'accessToken',
  'refreshToken',
  'password',
  'secret',
  'serviceSecret',
  'secretKey',
  'signingKey',
  'key',
  'apiKey',
  'masterKey',
  'privateKey',
  'cookie',
  '["set-cookie"]',
  '["x-millrace-identity"]',
]

const paths = secretFields.flatMap((field) => {
  const child = field.startsWith('[') ? field : `.${field}`
  return [field, `*${child}`, `*.*${child}`]
})

function activeTrace(): Record<string, string> {
  const context = trace.getActiveSpan()?.spanContext()
  return context && isSpanContextValid(context) ? { trace_id: context.traceId, span_id: context.spanId } : {}
}

export function createLogger({ service, level, stream }: LoggerOptions): Logger {
  return pino(
    {
      level: level ?? 'info',
      base: { service },
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      redact: { paths, censor: '[redacted]' },
      serializers: { err: stdSerializers.err, error: stdSerializers.err },
      mixin: activeTrace,
    },
    stream ?? destination({ dest: 2, sync: false }),
  )
}
