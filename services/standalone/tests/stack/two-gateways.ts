import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buildEnvoyRoutes } from '@millrace/routes'
import { envoySpec, type ServerProcess, startServer } from '@millrace/stack-servers'
import { freePort } from '@millrace/testkit'
import { envoyConfig } from '../../../../infra/tooling/envoy-config.mjs'
import { addEdge, type EnvoyEdge } from '../../../../infra/tooling/envoy-edge.mjs'
import { addServiceTls, type ServiceTlsFiles } from '../../../../infra/tooling/envoy-service-tls.mjs'
import type { Gateway } from '../../src/gateway/create-gateway.js'
import { byToken, echo, startNodeGateway, startUpstreams, type Upstreams } from '../gateway-harness.js'

/** Where nobody listens: a free port may be taken by whoever starts next, who then does not answer. */
export const nobody = '127.0.0.1:1'

/** A real Envoy and the Node gateway before the same services and the same iam. */
export interface TwoGateways {
  upstreams: Upstreams
  node: number
  envoy: number
  reset(): void
  stop(): Promise<void>
}

export interface RunningEnvoy {
  http: number
  grpc: number
  stop(): Promise<void>
}

export async function startEnvoy(
  clusters: Record<string, string>,
  edge: EnvoyEdge = {},
  tls?: ServiceTlsFiles,
  change: (document: string) => string = (document) => document,
): Promise<RunningEnvoy> {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-envoy-'))
  const [http, grpc] = [await freePort(), await freePort()]
  const addresses = { http: `127.0.0.1:${http}`, grpc: `127.0.0.1:${grpc}`, ...noGrpc, ...clusters }
  const configFile = join(folder, 'envoy.json')
  const document = addEdge(envoyConfig(buildEnvoyRoutes(), addresses), edge)
  const served = tls ? addServiceTls(document, Object.keys(clusters), tls) : document
  writeFileSync(configFile, change(JSON.stringify(served)))
  const envoy: ServerProcess = await startServer(await envoySpec({ configFile, port: http }), join(folder, 'envoy.log'))
  return {
    http,
    grpc,
    async stop() {
      await envoy.stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

const noGrpc = { 'scheduler-grpc': nobody, 'metadata-grpc': nobody }

export async function startTwoGateways(extra: Record<string, string> = {}): Promise<TwoGateways> {
  const upstreams = await startUpstreams()
  const clusters = { ...noGrpc, ...upstreams.clusters, ...extra }
  const gateway: Gateway = await startNodeGateway(clusters)
  const envoy = await startEnvoy(clusters)
  return {
    upstreams,
    node: gateway.httpPort,
    envoy: envoy.http,
    reset() {
      upstreams.setCheck(byToken)
      upstreams.setUpstream(echo)
      upstreams.seen.length = 0
      upstreams.checks.length = 0
    },
    async stop() {
      await Promise.all([gateway.stop(), envoy.stop()])
      await upstreams.stop()
    },
  }
}
