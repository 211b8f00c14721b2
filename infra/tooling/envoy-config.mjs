// The shape of infra/envoy/envoy.yaml. Addresses are the defaults of a network where every service has its own name;
// each can be set from outside, and the standalone gateway replaces them all.

import { localReplies } from './envoy-replies.mjs'

const types = 'type.googleapis.com/envoy'
const MAX_BODY_BYTES = 8 * 1024 * 1024

export const defaultAddresses = {
  http: '0.0.0.0:8080',
  grpc: '0.0.0.0:7070',
  iam: 'iam:8081',
  workflow: 'workflow:8082',
  metadata: 'metadata:8083',
  notification: 'notification:8084',
  artifact: 'artifact:8085',
  'iam-grpc': 'iam:9081',
  'scheduler-grpc': 'scheduler:7071',
  'metadata-grpc': 'metadata:7072',
}

const socketAddress = (address) => {
  const colon = address.lastIndexOf(':')
  return {
    socket_address: { address: address.slice(0, colon), port_value: Number(address.slice(colon + 1)) },
  }
}

const perRoute = {
  noAuthz: { '@type': `${types}.extensions.filters.http.ext_authz.v3.ExtAuthzPerRoute`, disabled: true },
  noBuffer: { '@type': `${types}.extensions.filters.http.buffer.v3.BufferPerRoute`, disabled: true },
}

function routeMatch({ match, methods }) {
  const target = 'regex' in match ? { safe_regex: { regex: match.regex } } : match
  if (!methods) return target
  const method = methods.length === 1 ? { exact: methods[0] } : { safe_regex: { regex: methods.join('|') } }
  return { ...target, headers: [{ name: ':method', string_match: method }] }
}

// A body that trickles must end some time, but Envoy knows no least rate: what is no stream and no upload has five minutes
// for everything, and an upload may pause for as long.
function timesOf({ stream, unlimitedBody }) {
  if (stream) return { timeout: '0s', idle_timeout: '3600s' }
  if (unlimitedBody) return { timeout: '0s', idle_timeout: '300s' }
  return { timeout: '60s', max_stream_duration: { max_stream_duration: '300s' } }
}

function routeEntry(route) {
  const filters = {
    ...(route.open ? { 'envoy.filters.http.ext_authz': perRoute.noAuthz } : {}),
    ...(route.unlimitedBody ? { 'envoy.filters.http.buffer': perRoute.noBuffer } : {}),
  }
  return {
    name: route.name,
    match: routeMatch(route),
    route: { cluster: route.cluster, ...timesOf(route) },
    ...(Object.keys(filters).length > 0 ? { typed_per_filter_config: filters } : {}),
  }
}

const logFields = {
  time: '%START_TIME%',
  method: '%REQ(:METHOD)%',
  path: '%PATH(NQ)%',
  route: '%ROUTE_NAME%',
  status: '%RESPONSE_CODE%',
  flags: '%RESPONSE_FLAGS%',
  durationMs: '%DURATION%',
  bytesIn: '%BYTES_RECEIVED%',
  bytesOut: '%BYTES_SENT%',
  upstream: '%UPSTREAM_CLUSTER%',
  client: '%DOWNSTREAM_REMOTE_ADDRESS_WITHOUT_PORT%',
  requestId: '%REQ(X-REQUEST-ID)%',
  traceparent: '%REQ(TRACEPARENT)%',
  // Where the gateway itself traces: also of what it refused.
  traceId: '%TRACE_ID%',
}

const accessLogger = (fields, filter) => ({
  name: 'envoy.access_loggers.stdout',
  ...(filter ? { filter } : {}),
  typed_config: {
    '@type': `${types}.extensions.access_loggers.stream.v3.StdoutAccessLog`,
    log_format: { json_format: fields },
  },
})

const accessLog = [accessLogger(logFields)]

// What is open but has no fixed path carries its proof in it: those paths are logged by their route alone.
function httpAccessLog(routes) {
  const prefixes = routes
    .filter(({ open, match }) => open && 'regex' in match && match.regex.includes('[^/]+'))
    .map(({ match }) => match.regex.slice(0, match.regex.indexOf('[^/]+')))
  if (prefixes.length === 0) return accessLog
  const regex = `(${[...new Set(prefixes)].join('|')}).*`
  const secret = { name: ':path', string_match: { safe_regex: { regex } } }
  const { path: _, ...withoutPath } = logFields
  return [
    accessLogger(logFields, { header_filter: { header: { ...secret, invert_match: true } } }),
    accessLogger(withoutPath, { header_filter: { header: secret } }),
  ]
}

const router = {
  name: 'envoy.filters.http.router',
  typed_config: {
    '@type': `${types}.extensions.filters.http.router.v3.Router`,
    suppress_envoy_headers: true,
  },
}

const extAuthz = {
  name: 'envoy.filters.http.ext_authz',
  typed_config: {
    '@type': `${types}.extensions.filters.http.ext_authz.v3.ExtAuthz`,
    transport_api_version: 'V3',
    grpc_service: { envoy_grpc: { cluster_name: 'iam-grpc' }, timeout: '2s' },
    failure_mode_allow: false,
    status_on_error: { code: 503 },
    clear_route_cache: false,
    validate_mutations: true,
    allowed_headers: {
      patterns: [
        'authorization',
        'x-millrace-project',
        'x-forwarded-for',
        'x-request-id',
        'traceparent',
        'user-agent',
      ].map((exact) => ({ exact })),
    },
  },
}

const buffer = {
  name: 'envoy.filters.http.buffer',
  typed_config: {
    '@type': `${types}.extensions.filters.http.buffer.v3.Buffer`,
    max_request_bytes: MAX_BODY_BYTES,
  },
}

// Before any filter: an identity that comes from outside must never be mistaken for the one ext_authz adds, and nobody
// behind the gateway may take a caller's word on who calls. What Envoy itself says with these names comes later.
const fromOutside = [
  'x-millrace-identity',
  'x-envoy-',
  'x-real-ip',
  'x-forwarded-host',
  'x-forwarded-port',
  'forwarded',
]
const stripOutside = {
  name: 'envoy.http.early_header_mutation.header_mutation',
  typed_config: {
    '@type': `${types}.extensions.http.early_header_mutation.header_mutation.v3.HeaderMutation`,
    mutations: fromOutside.map((prefix) => ({ remove_on_match: { key_matcher: { prefix, ignore_case: true } } })),
  },
}

// Envoy appends to what the caller sent. Replaced, it is one address, and before ext_authz, so that iam counts by it too.
const clientAddress = {
  name: 'envoy.filters.http.header_mutation',
  typed_config: {
    '@type': `${types}.extensions.filters.http.header_mutation.v3.HeaderMutation`,
    mutations: {
      request_mutations: [
        {
          append: {
            header: { key: 'x-forwarded-for', value: '%DOWNSTREAM_REMOTE_ADDRESS_WITHOUT_PORT%' },
            append_action: 'OVERWRITE_IF_EXISTS_OR_ADD',
          },
        },
      ],
    },
  },
}

const hardening = {
  use_remote_address: true,
  normalize_path: true,
  merge_slashes: true,
  path_with_escaped_slashes_action: 'REJECT_REQUEST',
  // Below what the services themselves take (16 KiB), so that the refusal is always the gateway's.
  max_request_headers_kb: 15,
  request_headers_timeout: '15s',
  common_http_protocol_options: {
    idle_timeout: '75s',
    max_headers_count: 100,
    headers_with_underscores_action: 'REJECT_REQUEST',
  },
  early_header_mutation_extensions: [stripOutside],
}

const connectionManager = (config) => [
  {
    name: 'envoy.filters.network.http_connection_manager',
    typed_config: {
      '@type': `${types}.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager`,
      ...config,
    },
  },
]

const virtualHost = (name, routes, more = {}) => ({ name, virtual_hosts: [{ name, domains: ['*'], ...more, routes }] })

// A connection may end under a request, as when a service restarts. What only reads is asked for once more; what may have
// been done is not.
const retryReads = {
  retry_policy: {
    retry_on: 'connect-failure,refused-stream,reset-before-request,reset',
    num_retries: 1,
    retriable_request_headers: [{ name: ':method', string_match: { safe_regex: { regex: 'GET|HEAD' } } }],
  },
}

function httpListener(address, routes) {
  return {
    name: 'http',
    address: socketAddress(address),
    per_connection_buffer_limit_bytes: 1048576,
    filter_chains: [
      {
        filters: connectionManager({
          stat_prefix: 'http',
          ...hardening,
          http_protocol_options: { accept_http_10: false },
          // Also on answers of its own, whose body names it.
          always_set_request_id_in_response: true,
          local_reply_config: localReplies,
          access_log: httpAccessLog(routes),
          route_config: virtualHost('http', routes.map(routeEntry), retryReads),
          http_filters: [clientAddress, extAuthz, buffer, router],
        }),
      },
    ],
  }
}

const grpcRoute = (prefix, cluster) => ({
  name: prefix,
  match: { prefix },
  route: {
    cluster,
    timeout: '0s',
    idle_timeout: '3600s',
    // Where replicas are picked by hash, a worker keeps to one: a lease matched there waits for its next call there.
    hash_policy: [{ header: { header_name: 'authorization' } }],
  },
})

// These services check tokens themselves. Full service names: the scheduler's commands share its package and stay inside.
const grpcRoutes = [
  grpcRoute('/millrace.scheduler.v1.SchedulerService/', 'scheduler-grpc'),
  grpcRoute('/millrace.scheduler.v1.DispatchService/', 'scheduler-grpc'),
  grpcRoute('/millrace.metadata.v1.LogService/', 'metadata-grpc'),
  grpcRoute('/grpc.health.v1.Health/', 'scheduler-grpc'),
  grpcRoute('/grpc.reflection.', 'scheduler-grpc'),
]

function grpcListener(address) {
  return {
    name: 'grpc',
    address: socketAddress(address),
    filter_chains: [
      {
        filters: connectionManager({
          stat_prefix: 'grpc',
          codec_type: 'HTTP2',
          ...hardening,
          access_log: accessLog,
          route_config: virtualHost('grpc', grpcRoutes),
          http_filters: [clientAddress, router],
        }),
      },
    ],
  }
}

function cluster(name, address, protocol) {
  const options = {
    '@type': `${types}.extensions.upstreams.http.v3.HttpProtocolOptions`,
    // Shorter than the services keep an idle connection, so that it is never they who close it under a request.
    common_http_protocol_options: { idle_timeout: '60s' },
    explicit_http_config:
      protocol === 'http2'
        ? { http2_protocol_options: { connection_keepalive: { interval: '30s', timeout: '10s' } } }
        : { http_protocol_options: {} },
  }
  return {
    name,
    type: 'STRICT_DNS',
    connect_timeout: '2s',
    lb_policy: 'ROUND_ROBIN',
    typed_extension_protocol_options: { 'envoy.extensions.upstreams.http.v3.HttpProtocolOptions': options },
    load_assignment: {
      cluster_name: name,
      endpoints: [{ lb_endpoints: [{ endpoint: { address: socketAddress(address) } }] }],
    },
  }
}

// No admin section: Envoy then opens no admin listener at all.
export function envoyConfig(routes, addresses = defaultAddresses) {
  const { http, grpc, ...upstreams } = addresses
  return {
    static_resources: {
      listeners: [httpListener(http, routes), grpcListener(grpc)],
      clusters: Object.entries(upstreams).map(([name, address]) =>
        cluster(name, address, name.endsWith('-grpc') ? 'http2' : 'http1'),
      ),
    },
  }
}
