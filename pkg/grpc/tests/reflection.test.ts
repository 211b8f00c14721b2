import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { type ClientDuplexStream, credentials, makeGenericClientConstructor } from '@grpc/grpc-js'
import { loadSync } from '@grpc/proto-loader'
import { dispatchDefinition, logServiceDefinition } from '@millrace/contracts'
import descriptor, { type IDescriptorProto, type IFileDescriptorProto } from 'protobufjs/ext/descriptor/index.js'
import { expect, onTestFinished, test } from 'vitest'
import { identity, startScheduler } from './support.js'

const packageDir = dirname(createRequire(import.meta.url).resolve('@grpc/reflection/package.json'))

interface Answer {
  listServicesResponse?: { service: { name: string }[] }
  fileDescriptorResponse?: { fileDescriptorProto: Buffer[] }
  errorResponse?: { errorMessage: string }
}

async function reflect(address: string, request: object, version = 'v1'): Promise<Answer> {
  const proto = join(packageDir, `build/proto/grpc/reflection/${version}/reflection.proto`)
  const definition = loadSync(proto, { defaults: false })
  const service = definition[`grpc.reflection.${version}.ServerReflection`] as never
  const client = new (makeGenericClientConstructor(service, 'x'))(address, credentials.createInsecure())
  onTestFinished(() => client.close())
  const open = client.ServerReflectionInfo as () => ClientDuplexStream<object, Answer>
  const stream = open.call(client)
  return new Promise((resolve, reject) => {
    stream.on('data', (answer: Answer) => {
      resolve(answer)
      stream.end()
    })
    stream.on('error', reject)
    stream.write(request)
  })
}

/** As strict as grpcurl: a type is looked for by its full name, in the file itself and in the files that it imports. */
class StrictClient {
  private readonly files = new Map<string, IFileDescriptorProto>()

  constructor(
    private readonly address: string,
    private readonly version: string,
  ) {}

  async list(): Promise<string[]> {
    const { listServicesResponse } = await reflect(this.address, { listServices: '' }, this.version)
    return listServicesResponse?.service.map(({ name }) => name) ?? []
  }

  async describe(symbol: string): Promise<IFileDescriptorProto> {
    const answer = await reflect(this.address, { fileContainingSymbol: symbol }, this.version)
    if (answer.errorResponse) throw new Error(answer.errorResponse.errorMessage)
    const [first] = answer.fileDescriptorResponse?.fileDescriptorProto ?? []
    if (!first) throw new Error(`no file has ${symbol}`)
    return this.link(first)
  }

  private async link(bytes: Buffer): Promise<IFileDescriptorProto> {
    const file = descriptor.FileDescriptorProto.decode(bytes) as unknown as IFileDescriptorProto
    const name = file.name ?? ''
    const known = this.files.get(name)
    if (known) return known
    this.files.set(name, file)
    const imported = await Promise.all((file.dependency ?? []).map((each: string) => this.load(each)))
    const types = new Set([file, ...imported].flatMap(typesIn))
    for (const used of usedBy(file)) if (!types.has(used)) throw new Error(`${name} uses ${used}, which it lacks`)
    return file
  }

  private async load(filename: string): Promise<IFileDescriptorProto> {
    const answer = await reflect(this.address, { fileByFilename: filename }, this.version)
    const [bytes] = answer.fileDescriptorResponse?.fileDescriptorProto ?? []
    if (!bytes) throw new Error(`${filename} is imported and not served`)
    return this.link(bytes)
  }
}

const nested = (message: IDescriptorProto, scope: string): [string, IDescriptorProto][] => {
  const own = `${scope}.${message.name}`
  return [[own, message], ...(message.nestedType ?? []).flatMap((each) => nested(each, own))]
}

const messagesIn = (file: IFileDescriptorProto): [string, IDescriptorProto][] =>
  (file.messageType ?? []).flatMap((message) => nested(message, `.${file.package}`))

const typesIn = (file: IFileDescriptorProto): string[] => [
  ...(file.enumType ?? []).map(({ name }) => `.${file.package}.${name}`),
  ...messagesIn(file).flatMap(([own, message]) => [
    own,
    ...(message.enumType ?? []).map(({ name }) => `${own}.${name}`),
  ]),
]

const usedBy = (file: IFileDescriptorProto): string[] => [
  ...(file.service ?? []).flatMap(({ method }) =>
    (method ?? []).flatMap(({ inputType, outputType }) => [inputType ?? '', outputType ?? '']),
  ),
  ...messagesIn(file).flatMap(([, message]) => (message.field ?? []).flatMap(({ typeName }) => typeName || [])),
]

const besides = [dispatchDefinition, logServiceDefinition]
const start = () => startScheduler({}, { kind: 'public', validate: async () => identity }, 5000, { besides })

test.each(['v1', 'v1alpha'])(
  '%s: a strict client lists and describes all that is served, without a credential',
  async (version) => {
    const { address } = await start()
    const client = new StrictClient(address, version)
    const names = await client.list()
    expect(names.sort()).toEqual([
      'grpc.health.v1.Health',
      'grpc.reflection.v1.ServerReflection',
      'grpc.reflection.v1alpha.ServerReflection',
      'millrace.metadata.v1.LogService',
      'millrace.scheduler.v1.DispatchService',
      'millrace.scheduler.v1.SchedulerService',
    ])
    for (const name of names) await client.describe(name)
    await client.describe('millrace.common.v1.Failure')
    const { service, messageType } = await client.describe('millrace.scheduler.v1.DispatchService')
    expect(service?.map(({ name }) => name).sort()).toEqual(['DispatchService', 'SchedulerService'])
    const lease = messageType?.find(({ name }) => name === 'Lease')
    expect(lease?.field?.map(({ name }) => name)).toContain('lease_id')
    const run = messageType?.find(({ name }) => name === 'Run')
    expect(run?.nestedType?.map(({ name }) => name)).toEqual(['LabelsEntry'])
    await expect(client.describe('millrace.scheduler.v1.SchedulerInternalService')).rejects.toThrow('not found')
  },
)
