import { mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { tlsSecretFile } from '../../../../infra/tooling/envoy-edge.mjs'
import { describeEdge, type Edge, edgeSettings, startGrpcUpstream } from '../edge-cases.js'
import { certificate, startUpstreams } from '../gateway-harness.js'
import { startEnvoy } from './two-gateways.js'

async function startEdge(): Promise<Edge> {
  const upstreams = await startUpstreams()
  const scheduler = await startGrpcUpstream()
  const clusters = { ...upstreams.clusters, ...scheduler.clusters }
  const folder = mkdtempSync(join(tmpdir(), 'millrace-tls-'))
  const tlsFile = join(folder, 'tls.json')
  const useCertificate = (name: 'first' | 'second') => {
    const text = (kind: string) => readFileSync(certificate(`${name}.${kind}`), 'utf8')
    writeFileSync(`${tlsFile}.new`, JSON.stringify(tlsSecretFile({ cert: text('cert'), key: text('key') })))
    renameSync(`${tlsFile}.new`, tlsFile)
  }
  useCertificate('first')
  const [secure, plain] = await Promise.all([startEnvoy(clusters, { tlsFile }), startEnvoy(clusters, edgeSettings)])
  return {
    ...{ upstreams, grpcCalls: scheduler.calls, secure, plain, useCertificate },
    async stop() {
      await Promise.all([secure.stop(), plain.stop()])
      await upstreams.stop()
      scheduler.stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

describeEdge('Envoy', startEdge)
