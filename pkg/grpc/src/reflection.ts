import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import type { Server } from '@grpc/grpc-js'
import { loadSync, type PackageDefinition } from '@grpc/proto-loader'
import { ReflectionService } from '@grpc/reflection'
import { loaderOptions, type ServiceContract } from '@millrace/contracts'
import { protoPath as healthProto } from 'grpc-health-check'
import { linkFiles } from './link-files.js'

const ownServices = [
  'grpc.health.v1.Health',
  'grpc.reflection.v1.ServerReflection',
  'grpc.reflection.v1alpha.ServerReflection',
]

function ownProtos(): string[] {
  const directory = dirname(createRequire(import.meta.url).resolve('@grpc/reflection/package.json'))
  const reflection = ['v1', 'v1alpha'].map((version) => join(directory, 'build/proto/grpc/reflection', version))
  return [healthProto, ...reflection.map((folder) => join(folder, 'reflection.proto'))]
}

const descriptorsOf = (definition: PackageDefinition): readonly Buffer[] =>
  Object.values(definition)
    .map((entry) => ('fileDescriptorProtos' in entry ? (entry.fileDescriptorProtos as Buffer[]) : undefined))
    .find((files) => files !== undefined) ?? []

/** Describes these services, health and reflection itself, and nothing else, so that a client can call them all. */
export function addReflection(server: Server, contracts: readonly ServiceContract[]): void {
  const protos = [...new Set(contracts.flatMap((contract) => contract.protoFiles)), ...ownProtos()]
  // One load, so that each package becomes one file; names as they are written, which is how clients send them.
  const descriptors = descriptorsOf(loadSync(protos, { ...loaderOptions, keepCase: true }))
  const services = [...contracts.map((contract) => contract.name), ...ownServices]
  const fileDescriptorProtos = linkFiles(descriptors, new Set(services))
  const described = { files: { format: '', type: {}, fileDescriptorProtos } } as unknown as PackageDefinition
  new ReflectionService(described, { services }).addToServer(server)
}
