import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { Client, credentials, Metadata, type StatusObject, status } from '@grpc/grpc-js'
import protobuf, { type Root, type Type } from 'protobufjs'
import descriptor, { type IFileDescriptorProto } from 'protobufjs/ext/descriptor/index.js'
import type { GrpcAnswer, GrpcCaller } from './public-grpc.js'

const reflectionMethod = 'grpc.reflection.v1.ServerReflection/ServerReflectionInfo'
const shown = { longs: Number, enums: String, bytes: String }

interface Reflected {
  listServicesResponse?: { service: { name: string }[] }
  fileDescriptorResponse?: { fileDescriptorProto: Uint8Array[] }
}

interface Exchange {
  token?: string | undefined
  isStream: boolean
}

interface Exchanged {
  messages: Buffer[]
  code: number
}

/** A client that knows nothing of the contracts but what the port itself says of them, as grpcurl. */
export class ReflectedGrpc implements GrpcCaller {
  private readonly files = new Map<string, IFileDescriptorProto>()

  constructor(
    private readonly address: string,
    /** How long a stream that does not end is read. */
    private readonly streamMs = 3_000,
  ) {}

  async services(): Promise<string[]> {
    const { listServicesResponse } = await this.reflect({ listServices: '' })
    return (listServicesResponse?.service ?? []).map(({ name }) => name)
  }

  async methods(service: string): Promise<string[]> {
    const found = (await this.describe(service)).lookupService(service)
    return found.methodsArray.map(({ name }) => `${service}/${name}`)
  }

  async call(path: string, requests: object[], token?: string): Promise<GrpcAnswer> {
    const [service = '', method = ''] = path.split('/')
    const found = (await this.describe(service)).lookupService(service).methods[method]
    if (!found) throw new Error(`${path} is not described`)
    found.resolve()
    const { resolvedRequestType: request, resolvedResponseType: response } = found
    if (!request || !response) throw new Error(`the types of ${path} are not described`)
    const sent = requests.map((one) => Buffer.from(request.encode(request.fromObject(one)).finish()))
    const { messages, code } = await this.exchange(path, sent, { token, isStream: found.responseStream === true })
    const read = (message: Buffer) => inJson(response.toObject(response.decode(message), shown))
    return { code, messages: messages.map(read) as Record<string, unknown>[] }
  }

  /** The file that has the symbol with all that it imports, linked: a type that is missing throws. */
  private async describe(symbol: string): Promise<Root> {
    const name = await this.load({ fileContainingSymbol: symbol })
    const needed = new Set<string>()
    const collect = (each: string) => {
      if (needed.has(each)) return
      needed.add(each)
      for (const imported of this.files.get(each)?.dependency ?? []) collect(imported)
    }
    collect(name)
    const file = [...needed].flatMap((each) => this.files.get(each) ?? [])
    const linked = protobuf.Root as unknown as { fromDescriptor(set: { file: IFileDescriptorProto[] }): Root }
    const root = linked.fromDescriptor({ file })
    root.resolveAll()
    return root
  }

  private async load(request: object): Promise<string> {
    const { fileDescriptorResponse } = await this.reflect(request)
    const [bytes] = fileDescriptorResponse?.fileDescriptorProto ?? []
    if (!bytes) throw new Error(`nothing is served for ${JSON.stringify(request)}`)
    const file = descriptor.FileDescriptorProto.decode(bytes) as unknown as IFileDescriptorProto
    const name = file.name ?? ''
    if (this.files.has(name)) return name
    for (const imported of file.dependency ?? []) await this.load({ fileByFilename: imported })
    // Not before its imports: who finds it here takes them for known as well.
    this.files.set(name, file)
    return name
  }

  private async reflect(request: object): Promise<Reflected> {
    const { asked, answered } = await reflectionTypes()
    const sent = Buffer.from(asked.encode(asked.fromObject(request)).finish())
    const { messages, code } = await this.exchange(reflectionMethod, [sent], { isStream: true })
    const [first] = messages
    if (!first) throw new Error(`reflection answered with code ${code}`)
    return answered.toObject(answered.decode(first)) as Reflected
  }

  /** Each method is opened as a stream of both sides: on the wire a call of one message looks the same. */
  private exchange(path: string, requests: Buffer[], { token, isStream }: Exchange): Promise<Exchanged> {
    const client = new Client(this.address, credentials.createInsecure())
    const metadata = new Metadata()
    if (token !== undefined) metadata.set('authorization', `Bearer ${token}`)
    const same = (value: Buffer) => value
    const options = { deadline: Date.now() + 30_000 }
    const stream = client.makeBidiStreamRequest(`/${path}`, same, same, metadata, options)
    const messages: Buffer[] = []
    const timer = isStream ? setTimeout(() => stream.cancel(), this.streamMs) : undefined
    return new Promise<Exchanged>((resolve) => {
      stream.on('data', (message: Buffer) => messages.push(message))
      stream.on('error', () => undefined)
      stream.on('status', ({ code }: StatusObject) => resolve({ messages, code: ended(code) }))
      for (const request of requests) stream.write(request)
      stream.end()
    }).finally(() => {
      clearTimeout(timer)
      client.close()
    })
  }
}

/** Descriptors name fields as they are written; JSON has them in camelCase. */
function inJson(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inJson)
  if (typeof value !== 'object' || value === null) return value
  const camel = (name: string) => name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [camel(name), inJson(each)]))
}

/** A stream that was open until the client had read enough went well. */
const ended = (code: number): number => (code === status.CANCELLED ? status.OK : code)

/** Of reflection itself, which every client brings along. */
async function reflectionTypes(): Promise<{ asked: Type; answered: Type }> {
  const folder = dirname(createRequire(import.meta.url).resolve('@grpc/reflection/package.json'))
  const root = await new protobuf.Root().load(join(folder, 'build/proto/grpc/reflection/v1/reflection.proto'))
  const type = (name: string) => root.lookupType(`grpc.reflection.v1.${name}`)
  return { asked: type('ServerReflectionRequest'), answered: type('ServerReflectionResponse') }
}
