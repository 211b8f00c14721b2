// Envoy's own spans, for where there is a collector to send them to.

const types = 'type.googleapis.com/envoy'
const collector = 'otel-collector'

const samplers = 'envoy.tracers.opentelemetry.samplers'
const samplerTypes = `${types}.extensions.tracers.opentelemetry.samplers.v3`

/** How many of the requests that come without a trace begin one, by OpenTelemetry's own settings. */
export function samplePercent(env) {
  const sampler = env.OTEL_TRACES_SAMPLER ?? 'parentbased_always_on'
  if (sampler.endsWith('always_off')) return 0
  if (!sampler.endsWith('traceidratio')) return 100
  const share = Number(env.OTEL_TRACES_SAMPLER_ARG ?? 1)
  return share >= 0 && share <= 1 ? share * 100 : 100
}

/** The manager's own random_sampling would overrule what the sender of a trace decided. */
const sampler = (percent) => ({
  name: `${samplers}.parent_based`,
  typed_config: {
    '@type': `${samplerTypes}.ParentBasedSamplerConfig`,
    wrapped_sampler: {
      name: `${samplers}.trace_id_ratio_based`,
      typed_config: {
        '@type': `${samplerTypes}.TraceIdRatioBasedSamplerConfig`,
        sampling_percentage: { numerator: Math.round(percent * 10_000), denominator: 'MILLION' },
      },
    },
  },
})

/** What each listener's manager is told, and the cluster that it exports to. */
export function tracingParts({ endpoint, percent = 100 }) {
  const url = new URL(endpoint)
  if (url.protocol !== 'http:') throw new Error(`Envoy exports traces over plain HTTP, not to ${url.protocol}//`)
  const provider = {
    name: 'envoy.tracers.opentelemetry',
    typed_config: {
      '@type': `${types}.config.trace.v3.OpenTelemetryConfig`,
      http_service: {
        http_uri: { uri: `${endpoint.replace(/\/$/, '')}/v1/traces`, cluster: collector, timeout: '2s' },
      },
      service_name: 'gateway',
      sampler: sampler(percent),
    },
  }
  const address = { address: url.hostname, port_value: Number(url.port || 80) }
  const cluster = {
    name: collector,
    type: 'STRICT_DNS',
    connect_timeout: '2s',
    load_assignment: {
      cluster_name: collector,
      endpoints: [{ lb_endpoints: [{ endpoint: { address: { socket_address: address } } }] }],
    },
  }
  return { tracing: { provider, spawn_upstream_span: true }, cluster }
}

/**
 * Adds tracing to every listener of a bootstrap, and the cluster it exports to. A request that carries a trace goes on
 * with it, sampled or not as its sender said.
 */
export function addTracing(document, options) {
  const { tracing, cluster } = tracingParts(options)
  for (const { filter_chains: chains } of document.static_resources.listeners) {
    for (const { filters } of chains) {
      for (const { typed_config: manager } of filters) manager.tracing = tracing
    }
  }
  document.static_resources.clusters.push(cluster)
  return document
}
