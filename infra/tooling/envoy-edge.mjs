// What an operator decides about the edge, added to a bootstrap: the same settings that the Node gateway takes.

const types = 'type.googleapis.com/envoy'
const tlsSecret = 'edge'

/** As the Node gateway names them: services/standalone/src/gateway/cors.ts. */
const cors = {
  allow_methods: 'GET, HEAD, POST, PUT, PATCH, DELETE',
  allow_headers:
    'authorization, content-type, idempotency-key, last-event-id, range, traceparent, x-millrace-console, x-millrace-project',
  expose_headers: 'content-disposition, content-range, idempotency-replayed, location, retry-after, x-request-id',
  max_age: '600',
}

const strictTransport = (value) => ({
  header: { key: 'strict-transport-security', value },
  append_action: 'OVERWRITE_IF_EXISTS_OR_ADD',
})
const always = strictTransport('max-age=31536000')
// Without a value the header is left out.
const underTls = strictTransport("%CEL(request.headers['x-forwarded-proto'] == 'https' ? 'max-age=31536000' : '')%")

const managersOf = ({ filters }) => filters.map(({ typed_config }) => typed_config)

function cidr(network) {
  const [address_prefix, bits] = network.split('/')
  return { address_prefix, prefix_len: bits === undefined ? (address_prefix.includes(':') ? 128 : 32) : Number(bits) }
}

function addHeader(manager, header) {
  const routes = manager.route_config
  routes.response_headers_to_add = [...(routes.response_headers_to_add ?? []), header]
  // Answers without a route have only these.
  for (const mapper of manager.local_reply_config?.mappers ?? []) {
    mapper.headers_to_add = [...(mapper.headers_to_add ?? []), header]
  }
}

/** A connection from a trusted proxy is a filter chain of its own: there, and there alone, its word counts. */
function trustProxies(listener, networks) {
  const [chain] = listener.filter_chains
  const trusting = structuredClone(chain)
  trusting.filter_chain_match = { source_prefix_ranges: networks.map(cidr) }
  for (const manager of managersOf(trusting)) {
    manager.use_remote_address = false
    manager.original_ip_detection_extensions = [
      {
        name: 'envoy.http.original_ip_detection.xff',
        typed_config: {
          '@type': `${types}.extensions.http.original_ip_detection.xff.v3.XffConfig`,
          xff_trusted_cidrs: { cidrs: networks.map(cidr) },
          skip_xff_append: true,
        },
      },
    ]
    if (listener.name === 'http') addHeader(manager, underTls)
  }
  listener.filter_chains.unshift(trusting)
}

function allowOrigins(listener, origins) {
  const policy = {
    '@type': `${types}.extensions.filters.http.cors.v3.CorsPolicy`,
    allow_origin_string_match: origins.map((exact) => ({ exact })),
    ...cors,
  }
  const filter = {
    name: 'envoy.filters.http.cors',
    typed_config: { '@type': `${types}.extensions.filters.http.cors.v3.Cors` },
  }
  const vary = { header: { key: 'vary', value: 'origin' }, append_action: 'APPEND_IF_EXISTS_OR_ADD' }
  for (const manager of listener.filter_chains.flatMap(managersOf)) {
    const mutations = manager.http_filters.find(({ name }) => name === 'envoy.filters.http.header_mutation')
    // By the filter and not by the routes: answers to a browser's question before a request have none.
    mutations.typed_config.mutations.response_mutations = [{ append: vary }]
    manager.http_filters.unshift(filter)
    for (const host of manager.route_config.virtual_hosts) {
      host.typed_per_filter_config = { ...host.typed_per_filter_config, [filter.name]: policy }
    }
  }
}

function encrypt(listener, secretFile) {
  for (const chain of listener.filter_chains) {
    chain.transport_socket = {
      name: 'envoy.transport_sockets.tls',
      typed_config: {
        '@type': `${types}.extensions.transport_sockets.tls.v3.DownstreamTlsContext`,
        common_tls_context: {
          tls_params: { tls_minimum_protocol_version: 'TLSv1_2' },
          alpn_protocols: [listener.name === 'grpc' ? 'h2' : 'http/1.1'],
          tls_certificate_sds_secret_configs: [
            { name: tlsSecret, sds_config: { path_config_source: { path: secretFile }, resource_api_version: 'V3' } },
          ],
        },
      },
    }
    for (const manager of managersOf(chain)) if (listener.name === 'http') addHeader(manager, always)
  }
}

/**
 * Envoy notices that this file is replaced (moved to its name), not that it is written to: the pair in it is taken as
 * one, so a certificate is never used with the key of another.
 */
export const tlsSecretFile = ({ cert, key }) => ({
  resources: [
    {
      '@type': `${types}.extensions.transport_sockets.tls.v3.Secret`,
      name: tlsSecret,
      tls_certificate: { certificate_chain: { inline_string: cert }, private_key: { inline_string: key } },
    },
  ],
})

/** The given document stays as it is: its parts may belong to others too. */
export function addEdge(given, { tlsFile, trustedProxies = [], corsOrigins = [] }) {
  const document = structuredClone(given)
  // Envoy takes no secret from a file before it has a name.
  if (tlsFile !== undefined) document.node = { id: 'gateway', cluster: 'millrace' }
  for (const listener of document.static_resources.listeners) {
    if (trustedProxies.length > 0) trustProxies(listener, trustedProxies)
    if (tlsFile !== undefined) encrypt(listener, tlsFile)
    if (corsOrigins.length > 0 && listener.name === 'http') allowOrigins(listener, corsOrigins)
  }
  return document
}
