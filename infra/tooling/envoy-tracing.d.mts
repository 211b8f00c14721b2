/** How many of the requests that come without a trace begin one, by OpenTelemetry's own settings. */
export function samplePercent(env: Readonly<Record<string, string | undefined>>): number

/** What the manager of each listener is told, and the cluster that it exports to. */
export function tracingParts(options: { endpoint: string; percent?: number }): { tracing: object; cluster: object }

/** Adds tracing to every listener of an Envoy bootstrap, and the cluster it exports to (OTLP over plain HTTP). */
export function addTracing<D extends object>(document: D, options: { endpoint: string; percent?: number }): D
