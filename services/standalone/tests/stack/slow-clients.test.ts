import { startUpstreams } from '../gateway-harness.js'
import { describeSlowClients, type SlowClientGateway } from '../slow-client-cases.js'
import { startEnvoy } from './two-gateways.js'

/** Envoy knows no least rate: a body is bounded by the time that its request may take. */
const shorter = { request_headers_timeout: '2s', max_stream_duration: '3s' }

async function start(): Promise<SlowClientGateway> {
  const upstreams = await startUpstreams()
  const envoy = await startEnvoy(upstreams.clusters, {}, undefined, (document) =>
    document
      .replaceAll('"request_headers_timeout":"15s"', `"request_headers_timeout":"${shorter.request_headers_timeout}"`)
      .replaceAll('"max_stream_duration":"300s"', `"max_stream_duration":"${shorter.max_stream_duration}"`),
  )
  return {
    ...{ port: envoy.http, upstreams, headMs: 2000, bodyMs: 3000 },
    async stop() {
      await envoy.stop()
      await upstreams.stop()
    },
  }
}

describeSlowClients('Envoy', start)
