import { ServiceIdentity, type ServiceName } from '@millrace/identity'
import type { Env, Field } from './read-config.js'
import type { Setting } from './setting.js'

const keyName = 'MILLRACE_SERVICE_KEY'
const trustedName = 'MILLRACE_SERVICE_PUBLIC_KEYS'

/** A service's own private key and the public keys of all; no part of either is repeated in a fault. */
export function serviceIdentity(name: ServiceName): Field<ServiceIdentity> {
  return {
    name: keyName,
    settings: settings(true),
    read(env) {
      const missing = [keyName, trustedName].filter((variable) => read(env, variable) === '')
      if (missing.length > 0) return { fault: missing.map((variable) => `${variable} is required`).join(', ') }
      return parse(name, env)
    },
  }
}

/** For who may have another credential: undefined when neither variable is set. */
export function optionalServiceIdentity(name: ServiceName): Field<ServiceIdentity | undefined> {
  const required = serviceIdentity(name)
  return {
    name: keyName,
    settings: settings(false),
    read: (env) =>
      read(env, keyName) === '' && read(env, trustedName) === '' ? { value: undefined } : required.read(env),
  }
}

const settings = (required: boolean): Setting[] => [
  { name: keyName, kind: 'secret', required, default: undefined },
  { name: trustedName, kind: 'list', required, default: undefined },
]

const read = (env: Env, variable: string): string => env[variable]?.trim() ?? ''

function parse(name: ServiceName, env: Env): { value: ServiceIdentity } | { fault: string } {
  try {
    return { value: ServiceIdentity.parse(name, read(env, keyName), read(env, trustedName)) }
  } catch (error) {
    const why = error instanceof TypeError ? error.message : 'a key cannot be read'
    return {
      fault: `${keyName} must be the private key of ${name} and ${trustedName} a list of name=key: ${why}`,
    }
  }
}
