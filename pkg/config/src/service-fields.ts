import { type LogLevel, logLevels } from '@millrace/logger'
import { eventsField } from './events-field.js'
import { address, integer, oneOf, string, url } from './fields.js'

const port = (name: string) => integer<number>(name, { min: 0, max: 65_535 })

/** Settings that mean the same to every service; each takes those it needs. */
export const serviceFields = {
  databaseUrl: url<string>('DATABASE_URL', { protocols: ['postgres', 'postgresql'] }),
  host: string<string>('MILLRACE_SERVICE_HOST', { default: '127.0.0.1' }),
  httpPort: port('MILLRACE_SERVICE_HTTP_PORT'),
  /** Of the listener for other services. */
  grpcPort: port('MILLRACE_SERVICE_GRPC_PORT'),
  publicGrpcPort: port('MILLRACE_SERVICE_PUBLIC_GRPC_PORT'),
  iamGrpc: address<string>('MILLRACE_IAM_GRPC'),
  schedulerGrpc: address<string>('MILLRACE_SCHEDULER_GRPC'),
  workflowGrpc: address<string>('MILLRACE_WORKFLOW_GRPC'),
  events: eventsField,
  logLevel: oneOf<LogLevel>('MILLRACE_LOG_LEVEL', logLevels, { default: 'info' }),
}
