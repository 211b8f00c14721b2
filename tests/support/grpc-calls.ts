import { randomUUID } from 'node:crypto'
import { Client, credentials, Metadata, type ServiceDefinition } from '@grpc/grpc-js'
import type { Principal } from './principals.js'

export interface GrpcMethod {
  path: string
  streams: boolean
  request: Buffer
}

/** Field 1, a text: an id that names nothing. */
export const someId = Buffer.concat([Buffer.from([0x0a, 36]), Buffer.from(randomUUID())])

export const methodsOf = (contract: { definition: ServiceDefinition }, request = Buffer.alloc(0)): GrpcMethod[] =>
  Object.values(contract.definition).map(({ path, requestStream, responseStream }) => ({
    path,
    streams: requestStream || responseStream,
    request,
  }))

const identity = (value: Buffer): Buffer => value
const DEADLINE_MS = 10_000

/** The status of the request. A stream that begins to answer was let in: 0. */
export function grpcStatus(
  address: string,
  { path, streams, request }: GrpcMethod,
  caller: Principal,
): Promise<number> {
  const client = new Client(address, credentials.createInsecure())
  const metadata = new Metadata()
  if (caller.token !== undefined) metadata.set('authorization', `Bearer ${caller.token}`)
  if (caller.project !== undefined) metadata.set('x-millrace-project', caller.project)
  const options = { deadline: Date.now() + DEADLINE_MS }
  return new Promise<number>((resolve) => {
    if (!streams) {
      client.makeUnaryRequest(path, identity, identity, request, metadata, options, (error) =>
        resolve(error?.code ?? 0),
      )
      return
    }
    const stream = client.makeServerStreamRequest(path, identity, identity, request, metadata, options)
    stream.on('data', () => {
      resolve(0)
      stream.cancel()
    })
    stream.on('error', (error: { code?: number }) => resolve(error.code ?? 2))
    stream.on('end', () => resolve(0))
  }).finally(() => client.close())
}
