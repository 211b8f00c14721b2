export interface EnvoyEdge {
  /** Where tlsSecretFile's document is. */
  tlsFile?: string | undefined
  trustedProxies?: readonly string[]
  corsOrigins?: readonly string[]
}

/** A copy of an Envoy bootstrap with TLS, trusted proxies and CORS as the Node gateway has them. */
export function addEdge<D extends object>(given: D, edge: EnvoyEdge): D

/** What Envoy reads the certificate and its key from; put another in its place by renaming. */
export function tlsSecretFile(pair: { cert: string; key: string }): object
