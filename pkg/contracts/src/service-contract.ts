import type { ServiceDefinition, UntypedServiceImplementation } from '@grpc/grpc-js'
import type { LoadedPackage } from './load.js'

/**
 * A service as the wire sees it, with its generated types along for the compiler: `D` names each method's messages,
 * `H` says which of them stream. `types` never holds a value.
 */
export interface ServiceContract<
  D extends ServiceDefinition = ServiceDefinition,
  H extends UntypedServiceImplementation = UntypedServiceImplementation,
> {
  readonly name: string
  readonly definition: ServiceDefinition
  /** The files that describe it, relative to the proto directory. */
  readonly protoFiles: readonly string[]
  readonly types?: { definition: D; handlers: H }
}

export function serviceContract<D extends ServiceDefinition, H extends UntypedServiceImplementation>(
  { definitions, files }: LoadedPackage,
  name: string,
): ServiceContract<D, H> {
  const definition = definitions[name]
  if (definition === undefined || 'format' in definition) throw new Error(`no service ${name} in the loaded protos`)
  return { name, definition: definition as ServiceDefinition, protoFiles: files }
}
