import { formatTrustedServices, generateServiceKeySet, ServiceIdentity, type ServiceName } from '@millrace/identity'

const keys = generateServiceKeySet()
const made = new Map<ServiceName, ServiceIdentity>()

/** The identity of a service; all of one test file believe each other. */
export function testService(name: ServiceName): ServiceIdentity {
  const identity = made.get(name) ?? ServiceIdentity.fromKeySet(name, keys)
  made.set(name, identity)
  return identity
}

/** The same identity, for a process of its own. */
export function testServiceEnv(name: ServiceName): Record<string, string> {
  return {
    MILLRACE_SERVICE_KEY: keys[name].privateKey,
    MILLRACE_SERVICE_PUBLIC_KEYS: formatTrustedServices(keys),
  }
}
