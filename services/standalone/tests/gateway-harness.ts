import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http'
import { connect } from 'node:net'
import { fileURLToPath } from 'node:url'
import { authorizationDefinition, type envoy } from '@millrace/contracts'
import { createGrpcServer, type GrpcServer } from '@millrace/grpc'
import { testLogger } from '@millrace/testkit'
import { createGateway, type Gateway } from '../src/gateway/create-gateway.js'
import { recordWires, type Wire } from './wire/wires.js'

export const configFile = fileURLToPath(new URL('../../../infra/envoy/envoy.yaml', import.meta.url))
export const certificate = (name: string) => fileURLToPath(new URL(`fixtures/${name}.pem`, import.meta.url))

export type Upstream = (req: IncomingMessage, res: ServerResponse) => void
export type Check = (request: envoy.CheckRequest__Output) => Promise<envoy.CheckResponse>

export interface Upstreams {
  /** Where each cluster of the configuration is found. */
  clusters: Record<string, string>
  /** Requests that reached a service. */
  seen: { cluster: string; method: string; url: string; headers: IncomingMessage['headers'] }[]
  /** Bytes that reached a service, also those that Node's own parser refuses. */
  wires: Wire[]
  checks: envoy.CheckRequest__Output[]
  authz: GrpcServer
  setUpstream(handler: Upstream): void
  setCheck(handler: Check): void
  stop(): Promise<void>
}

export interface GatewayHarness extends Upstreams {
  gateway: Gateway
  port: number
}

export const allow: Check = () =>
  Promise.resolve({
    status: { code: 0 },
    okResponse: { headers: [{ header: { key: 'x-millrace-identity', value: 'signed-by-iam' }, appendAction: 2 }] },
  })

export const deny: Check = () =>
  Promise.resolve({
    status: { code: 16 },
    deniedResponse: {
      status: { code: 401 },
      headers: [
        { header: { key: 'content-type', value: 'application/problem+json' } },
        { header: { key: 'www-authenticate', value: 'Bearer' } },
      ],
      body: JSON.stringify({ status: 401, code: 'unauthenticated' }),
    },
  })

/** Lets in whoever shows a bearer token, as iam would. */
export const byToken: Check = (check) =>
  check.attributes?.request?.http?.headers.authorization === 'Bearer good' ? allow(check) : deny(check)

const services = ['iam', 'workflow', 'metadata', 'notification', 'artifact']

/** Services and an iam that do as they are told. */
export async function startUpstreams(): Promise<Upstreams> {
  let upstream: Upstream = echo
  let check: Check = byToken
  const seen: Upstreams['seen'] = []
  const wires: Wire[] = []
  const checks: envoy.CheckRequest__Output[] = []
  const servers: Server[] = []
  const clusters: Record<string, string> = {}
  for (const cluster of services) {
    const server = createServer((req, res) => {
      seen.push({ cluster, method: req.method ?? '', url: req.url ?? '', headers: req.headers })
      upstream(req, res)
    })
    recordWires(server, cluster, wires)
    servers.push(server)
    clusters[cluster] = `127.0.0.1:${await listen(server)}`
  }
  const handlers = {
    check: (received: envoy.CheckRequest__Output) => {
      checks.push(received)
      return check(received)
    },
  }
  const authz = createGrpcServer({
    service: 'iam',
    logger: testLogger,
    auth: { kind: 'internal', identity: undefined },
    services: [{ definition: authorizationDefinition, handlers, open: true }],
  })
  clusters['iam-grpc'] = `127.0.0.1:${await authz.start('127.0.0.1', 0)}`
  return {
    clusters,
    seen,
    wires,
    checks,
    authz,
    setUpstream: (handler) => {
      upstream = handler
    },
    setCheck: (handler) => {
      check = handler
    },
    async stop() {
      await authz.stop(0)
      for (const server of servers) {
        server.closeAllConnections()
        server.close()
      }
    },
  }
}

export async function startGateway(
  extra: Record<string, string> = {},
  drainMs = 2000,
  file = configFile,
): Promise<GatewayHarness> {
  const upstreams = await startUpstreams()
  const gateway = await startNodeGateway({ ...upstreams.clusters, ...extra }, drainMs, file)
  return {
    ...upstreams,
    gateway,
    port: gateway.httpPort,
    async stop() {
      await gateway.stop()
      await upstreams.stop()
    },
  }
}

export async function startNodeGateway(
  clusters: Record<string, string>,
  drainMs = 2000,
  file = configFile,
): Promise<Gateway> {
  const address = { host: '127.0.0.1', port: 0 }
  const options = { configFile: file, http: address, grpc: address, clusters, drainMs }
  const gateway = createGateway({ ...options, logger: testLogger })
  await gateway.start()
  return gateway
}

export const echo: Upstream = (req, res) => {
  const chunks: Buffer[] = []
  req.on('data', (chunk: Buffer) => chunks.push(chunk))
  req.on('end', () => {
    res.writeHead(200, { 'content-type': 'application/json', 'x-from': 'upstream' })
    res.end(JSON.stringify({ bytes: Buffer.concat(chunks).byteLength }))
  })
}

function listen(server: Server): Promise<number> {
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve((server.address() as { port: number }).port))
  })
}

export interface Answer {
  status: number
  headers: IncomingMessage['headers']
  text: string
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
  json: any
}

export interface CallOptions {
  token?: string
  headers?: Record<string, string>
  body?: Buffer | string
}

export function call(port: number, method: string, path: string, options: CallOptions = {}): Promise<Answer> {
  const headers = {
    ...(options.token === undefined ? {} : { authorization: `Bearer ${options.token}` }),
    ...options.headers,
  }
  return new Promise((resolve, reject) => {
    const req = request({ host: '127.0.0.1', port, method, path, headers, agent: false }, (res) => {
      const chunks: Buffer[] = []
      res.on('data', (chunk: Buffer) => chunks.push(chunk))
      res.on('error', reject)
      res.on('end', () => {
        const text = Buffer.concat(chunks).toString()
        const json = /json/.test(res.headers['content-type'] ?? '') && text !== '' ? JSON.parse(text) : undefined
        resolve({ status: res.statusCode ?? 0, headers: res.headers, text, json })
      })
    })
    req.on('error', reject)
    req.end(options.body)
  })
}

/** Bytes as they are, for requests that no client would make. */
export function raw(port: number, bytes: string | Buffer): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(bytes))
    const chunks: Buffer[] = []
    socket.on('data', (chunk) => {
      chunks.push(chunk)
      socket.end()
    })
    socket.on('close', () => resolve(Buffer.concat(chunks).toString()))
    socket.on('error', reject)
  })
}
