import { type ServiceName, ServiceTls } from '@millrace/identity'
import { integer, string } from './fields.js'
import type { Env, Field } from './read-config.js'

const cert = string('MILLRACE_TLS_SERVICE_CERT', { default: undefined })
const key = string('MILLRACE_TLS_SERVICE_KEY', { default: undefined })
const ca = string('MILLRACE_TLS_SERVICE_CA', { default: undefined })
const probePort = integer('MILLRACE_SERVICE_PROBE_PORT', { default: undefined, min: 0, max: 65_535 })
const files = [cert, key, ca]

/** All three files or none; undefined: services speak without TLS. */
export function serviceTls(name: ServiceName): Field<ServiceTls | undefined> {
  return {
    name: cert.name,
    settings: [...files, probePort].flatMap((field) => field.settings),
    read(env) {
      const port = probePort.read(env)
      if ('fault' in port) return port
      const missing = files.filter((field) => textOf(field, env) === undefined)
      if (missing.length === files.length) return withoutTls(port.value)
      if (missing.length > 0) {
        const names = files.map((field) => field.name).join(', ')
        return {
          fault: `${names} are set together or not at all: ${missing.map((one) => one.name).join(', ')} is missing`,
        }
      }
      return load(name, env, port.value)
    },
  }
}

function withoutTls(port: number | undefined): { value: undefined } | { fault: string } {
  if (port === undefined) return { value: undefined }
  return { fault: `${probePort.name} has a meaning with ${cert.name} alone: without TLS the HTTP port has the probes` }
}

function load(name: ServiceName, env: Env, port: number | undefined): { value: ServiceTls } | { fault: string } {
  const [certFile = '', keyFile = '', caFile = ''] = files.map((field) => textOf(field, env))
  try {
    return { value: new ServiceTls(name, { cert: certFile, key: keyFile, ca: caFile }, port) }
  } catch (error) {
    return { fault: `${files.map((field) => field.name).join(', ')} cannot be used: ${(error as Error).message}` }
  }
}

function textOf(field: Field<string | undefined>, env: Env): string | undefined {
  const read = field.read(env)
  return 'value' in read ? read.value : undefined
}
