import { fileURLToPath } from 'node:url'
import { loadSync, type Options, type PackageDefinition } from '@grpc/proto-loader'
import protobuf from 'protobufjs'

/** `src/` and `dist/` lie equally deep, so one path serves both. */
export const protoDirectory = fileURLToPath(new URL('../../../proto', import.meta.url))

/** The same options as the generated types were made with (infra/tooling/generate-contracts.mjs). */
export const loaderOptions: Options = {
  longs: Number,
  enums: String,
  defaults: true,
  arrays: true,
  objects: true,
  oneofs: true,
  includeDirs: [protoDirectory],
}

export interface LoadedPackage {
  readonly files: readonly string[]
  readonly definitions: PackageDefinition
}

/** Loads proto files, named relative to the proto directory, with all they import. */
export function loadPackage(...files: string[]): LoadedPackage {
  return { files, definitions: loadSync(files, loaderOptions) }
}

let events: protobuf.Root | undefined

/** The message type of an event's `data` by its name, such as `WorkflowStarted`. */
export function eventType(name: string): protobuf.Type {
  if (!events) {
    const root = new protobuf.Root()
    root.resolvePath = (_origin, target) => `${protoDirectory}/${target}`
    events = root.loadSync('events/v1/events.proto')
  }
  return events.lookupType(`millrace.events.v1.${name}`)
}
