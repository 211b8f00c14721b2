import {
  type ConnectionManager,
  type EnvoyDocument,
  type EnvoyRouteEntry,
  GatewayConfigError,
  managerOf,
  parseEnvoyDocument,
  secondsToMs,
} from './envoy-document.js'

export interface GatewayRoute {
  readonly name: string
  readonly path: { kind: 'exact' | 'prefix'; value: string } | { kind: 'regex'; value: RegExp; literal: string }
  /** Undefined: any method. */
  readonly methods: RegExp | undefined
  readonly cluster: string
  readonly authz: boolean
  /** 0: none. */
  readonly timeoutMs: number
  readonly idleTimeoutMs: number
  readonly maxBodyBytes: number | undefined
}

export interface ListenerConfig {
  readonly routes: readonly GatewayRoute[]
  readonly rejectUnderscores: boolean
  readonly maxHeaders: number
  readonly maxHeaderBytes: number
  readonly headersTimeoutMs: number
  readonly idleTimeoutMs: number
  /** Lower-case prefixes of header names that never pass from outside. */
  readonly strippedPrefixes: readonly string[]
}

export interface AuthzConfig {
  readonly cluster: string
  readonly timeoutMs: number
  readonly allowedHeaders: ReadonlySet<string>
}

export interface GatewayConfig {
  readonly http: ListenerConfig
  readonly grpc: ListenerConfig
  readonly authz: AuthzConfig
  /** host:port by cluster name. */
  readonly clusters: ReadonlyMap<string, string>
}

const EXT_AUTHZ = 'envoy.filters.http.ext_authz'
const BUFFER = 'envoy.filters.http.buffer'
/** Writes the caller's address, as this gateway does by itself. */
const HEADER_MUTATION = 'envoy.filters.http.header_mutation'

/** Whatever this gateway could not honour is refused here: it must never be laxer than Envoy with the same file. */
export function readGatewayConfig(text: string, overrides: Readonly<Record<string, string>> = {}): GatewayConfig {
  const document = parseEnvoyDocument(text)
  const httpManager = managerOf(document, 'http')
  assertStrict(httpManager)
  const clusters = clustersOf(document, overrides)
  const http = listenerOf(httpManager, maxBodyOf(httpManager))
  const grpc = listenerOf(managerOf(document, 'grpc'), undefined)
  const authz = authzOf(httpManager)
  for (const name of [authz.cluster, ...[...http.routes, ...grpc.routes].map(({ cluster }) => cluster)]) {
    if (!clusters.has(name)) throw new GatewayConfigError(`there is no cluster named ${name}`)
  }
  return { http, grpc, authz, clusters }
}

function assertStrict(manager: ConnectionManager): void {
  if (manager.path_with_escaped_slashes_action !== 'REJECT_REQUEST') {
    throw new GatewayConfigError('path_with_escaped_slashes_action must be REJECT_REQUEST')
  }
  if (manager.normalize_path !== true) throw new GatewayConfigError('normalize_path must be true')
  const known = [HEADER_MUTATION, EXT_AUTHZ, BUFFER, 'envoy.filters.http.router']
  const unknown = manager.http_filters.filter(({ name }) => !known.includes(name))
  if (unknown.length > 0) {
    throw new GatewayConfigError(`filters not understood: ${unknown.map(({ name }) => name).join(', ')}`)
  }
}

function clustersOf(document: EnvoyDocument, overrides: Readonly<Record<string, string>>): Map<string, string> {
  const clusters = new Map<string, string>()
  for (const { name, load_assignment } of document.static_resources.clusters) {
    const address = load_assignment.endpoints[0]?.lb_endpoints[0]?.endpoint.address.socket_address
    if (address) clusters.set(name, `${address.address}:${address.port_value}`)
  }
  for (const [name, address] of Object.entries(overrides)) {
    if (!clusters.has(name)) throw new GatewayConfigError(`there is no cluster named ${name}`)
    clusters.set(name, address)
  }
  return clusters
}

function filterOf(manager: ConnectionManager, filter: string): Record<string, unknown> {
  const found = manager.http_filters.find(({ name }) => name === filter)
  if (!found) throw new GatewayConfigError(`the filter ${filter} is missing`)
  return found.typed_config
}

function authzOf(manager: ConnectionManager): AuthzConfig {
  const [first] = manager.http_filters.filter(({ name }) => name !== HEADER_MUTATION)
  if (first?.name !== EXT_AUTHZ) throw new GatewayConfigError(`${EXT_AUTHZ} must come first`)
  const filter = filterOf(manager, EXT_AUTHZ) as {
    failure_mode_allow?: boolean
    grpc_service?: { envoy_grpc?: { cluster_name?: string }; timeout?: string }
    allowed_headers?: { patterns: { exact: string }[] }
  }
  const cluster = filter.grpc_service?.envoy_grpc?.cluster_name
  if (filter.failure_mode_allow !== false) throw new GatewayConfigError('failure_mode_allow must be false')
  if (cluster === undefined) throw new GatewayConfigError('ext_authz names no cluster')
  return {
    cluster,
    timeoutMs: secondsToMs(filter.grpc_service?.timeout, 2000),
    allowedHeaders: new Set((filter.allowed_headers?.patterns ?? []).map(({ exact }) => exact)),
  }
}

function maxBodyOf(manager: ConnectionManager): number {
  const limit = filterOf(manager, BUFFER).max_request_bytes
  if (typeof limit !== 'number') throw new GatewayConfigError('the buffer filter has no max_request_bytes')
  return limit
}

function listenerOf(manager: ConnectionManager, maxBodyBytes: number | undefined): ListenerConfig {
  const options = manager.common_http_protocol_options ?? {}
  const entries = manager.route_config.virtual_hosts.flatMap(({ routes }) => routes)
  const mutations = (manager.early_header_mutation_extensions ?? []).flatMap(
    ({ typed_config }) => typed_config.mutations,
  )
  const strippedPrefixes = mutations.flatMap(({ remove_on_match }) => {
    const prefix = remove_on_match?.key_matcher.prefix
    if (prefix === undefined) throw new GatewayConfigError('only remove_on_match by prefix is understood')
    return [prefix.toLowerCase()]
  })
  return {
    routes: entries.map((entry) => routeOf(entry, maxBodyBytes)),
    rejectUnderscores: options.headers_with_underscores_action === 'REJECT_REQUEST',
    maxHeaders: options.max_headers_count ?? 100,
    maxHeaderBytes: (manager.max_request_headers_kb ?? 15) * 1024,
    headersTimeoutMs: secondsToMs(manager.request_headers_timeout, 15_000),
    idleTimeoutMs: secondsToMs(options.idle_timeout, 75_000),
    strippedPrefixes,
  }
}

function routeOf(entry: EnvoyRouteEntry, maxBodyBytes: number | undefined): GatewayRoute {
  const filters = entry.typed_per_filter_config ?? {}
  return {
    name: entry.name ?? entry.route.cluster,
    path: pathOf(entry),
    methods: methodsOf(entry),
    cluster: entry.route.cluster,
    authz: filters[EXT_AUTHZ]?.disabled !== true,
    timeoutMs: secondsToMs(entry.route.timeout, 15_000),
    idleTimeoutMs: secondsToMs(entry.route.idle_timeout, 300_000),
    maxBodyBytes: filters[BUFFER]?.disabled === true ? undefined : maxBodyBytes,
  }
}

function pathOf({ name, match }: EnvoyRouteEntry): GatewayRoute['path'] {
  if (match.path !== undefined) return { kind: 'exact', value: match.path }
  if (match.prefix !== undefined) return { kind: 'prefix', value: match.prefix }
  if (match.safe_regex === undefined) throw new GatewayConfigError(`route ${name}: only path, prefix and safe_regex`)
  const { regex } = match.safe_regex
  const literal = /^[A-Za-z0-9/_-]*/.exec(regex)?.[0] ?? ''
  return { kind: 'regex', value: new RegExp(`^(?:${regex})$`), literal }
}

function methodsOf({ name, match }: EnvoyRouteEntry): RegExp | undefined {
  const [header, ...others] = match.headers ?? []
  if (!header) return undefined
  if (others.length > 0 || header.name !== ':method')
    throw new GatewayConfigError(`route ${name}: only :method is matched`)
  const { exact, safe_regex } = header.string_match
  const regex = exact ?? safe_regex?.regex
  if (regex === undefined) throw new GatewayConfigError(`route ${name}: :method needs exact or safe_regex`)
  return new RegExp(`^(?:${regex})$`)
}
