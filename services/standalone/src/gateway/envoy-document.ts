import { parse } from 'yaml'

/** The part of an Envoy bootstrap that the gateway understands; names are Envoy's own. */
export interface EnvoyDocument {
  static_resources: { listeners: EnvoyListener[]; clusters: EnvoyCluster[] }
}

export interface EnvoyListener {
  name: string
  filter_chains: { filters: { name: string; typed_config: ConnectionManager }[] }[]
}

export interface ConnectionManager {
  path_with_escaped_slashes_action?: string
  normalize_path?: boolean
  request_headers_timeout?: string
  max_request_headers_kb?: number
  common_http_protocol_options?: {
    idle_timeout?: string
    max_headers_count?: number
    headers_with_underscores_action?: string
  }
  early_header_mutation_extensions?: { typed_config: { mutations: HeaderMutation[] } }[]
  route_config: { virtual_hosts: { routes: EnvoyRouteEntry[] }[] }
  http_filters: { name: string; typed_config: Record<string, unknown> }[]
}

export interface HeaderMutation {
  remove?: string
  remove_on_match?: { key_matcher: { prefix?: string; exact?: string } }
}

export interface EnvoyRouteEntry {
  name?: string
  match: {
    path?: string
    prefix?: string
    safe_regex?: { regex: string }
    headers?: { name: string; string_match: { exact?: string; safe_regex?: { regex: string } } }[]
  }
  route: { cluster: string; timeout?: string; idle_timeout?: string }
  typed_per_filter_config?: Record<string, { disabled?: boolean }>
}

export interface EnvoyCluster {
  name: string
  load_assignment: {
    endpoints: {
      lb_endpoints: { endpoint: { address: { socket_address: { address: string; port_value: number } } } }[]
    }[]
  }
}

export class GatewayConfigError extends Error {
  override readonly name = 'GatewayConfigError'
}

export function parseEnvoyDocument(text: string): EnvoyDocument {
  const document = parse(text) as EnvoyDocument | null
  if (!Array.isArray(document?.static_resources?.listeners) || !Array.isArray(document.static_resources.clusters)) {
    throw new GatewayConfigError('the Envoy configuration has no static listeners and clusters')
  }
  return document
}

export function managerOf(document: EnvoyDocument, listener: string): ConnectionManager {
  const found = document.static_resources.listeners.find(({ name }) => name === listener)
  const manager = found?.filter_chains[0]?.filters.find(
    ({ name }) => name === 'envoy.filters.network.http_connection_manager',
  )
  if (!manager) throw new GatewayConfigError(`the Envoy configuration has no listener named ${listener}`)
  return manager.typed_config
}

export function secondsToMs(duration: string | undefined, fallbackMs: number): number {
  if (duration === undefined) return fallbackMs
  const match = /^(\d+(?:\.\d+)?)s$/.exec(duration)
  if (!match) throw new GatewayConfigError(`not a duration: ${duration}`)
  return Math.round(Number(match[1]) * 1000)
}
