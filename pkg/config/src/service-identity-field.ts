import { ServiceIdentity, type ServiceName, type ServiceTls } from '@millrace/identity'
import type { Env, Field } from './read-config.js'
import { serviceTls } from './service-tls-field.js'
import type { Setting } from './setting.js'

const keyName = 'MILLRACE_SERVICE_KEY'
const trustedName = 'MILLRACE_SERVICE_PUBLIC_KEYS'

/** A service's own private key and the public keys of all; no part of either is repeated in a fault. Its certificate, if it has one. */
export function serviceIdentity(name: ServiceName): Field<ServiceIdentity> {
  const certificate = serviceTls(name)
  return {
    name: keyName,
    settings: [...settings(true), ...certificate.settings],
    read(env) {
      const missing = [keyName, trustedName].filter((variable) => read(env, variable) === '')
      if (missing.length > 0) return { fault: missing.map((variable) => `${variable} is required`).join(', ') }
      const tls = certificate.read(env)
      return 'fault' in tls ? tls : parse(name, env, tls.value)
    },
  }
}

/** For who may have another credential: undefined when neither variable is set. */
export function optionalServiceIdentity(name: ServiceName): Field<ServiceIdentity | undefined> {
  const required = serviceIdentity(name)
  const certificate = serviceTls(name)
  return {
    name: keyName,
    settings: [...settings(false), ...certificate.settings],
    read(env) {
      if (read(env, keyName) !== '' || read(env, trustedName) !== '') return required.read(env)
      const tls = certificate.read(env)
      if ('fault' in tls || tls.value === undefined) return tls as { fault: string } | { value: undefined }
      return { fault: `${certificate.name} belongs to a service: ${keyName} is required with it` }
    },
  }
}

const settings = (required: boolean): Setting[] => [
  { name: keyName, kind: 'secret', required, default: undefined },
  { name: trustedName, kind: 'list', required, default: undefined },
]

const read = (env: Env, variable: string): string => env[variable]?.trim() ?? ''

function parse(
  name: ServiceName,
  env: Env,
  tls: ServiceTls | undefined,
): { value: ServiceIdentity } | { fault: string } {
  try {
    return { value: ServiceIdentity.parse(name, read(env, keyName), read(env, trustedName), tls) }
  } catch (error) {
    const why = error instanceof TypeError ? error.message : 'a key cannot be read'
    return {
      fault: `${keyName} must be the private key of ${name} and ${trustedName} a list of name=key: ${why}`,
    }
  }
}
