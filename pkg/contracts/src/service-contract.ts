import type { ServiceDefinition, UntypedServiceImplementation } from '@grpc/grpc-js'
import type { PackageDefinition } from '@grpc/proto-loader'

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
  /** Every file the service needs, for reflection. */
  readonly packageDefinition: PackageDefinition
  readonly types?: { definition: D; handlers: H }
}

export function serviceContract<D extends ServiceDefinition, H extends UntypedServiceImplementation>(
  packageDefinition: PackageDefinition,
  name: string,
): ServiceContract<D, H> {
  const definition = packageDefinition[name]
  if (definition === undefined || 'format' in definition) throw new Error(`no service ${name} in the loaded protos`)
  return { name, definition: definition as ServiceDefinition, packageDefinition }
}
