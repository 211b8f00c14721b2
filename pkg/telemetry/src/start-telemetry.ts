import { createRequire } from 'node:module'
import { AlwaysOffSampler } from '@opentelemetry/sdk-trace-base'
import { NodeTracerProvider } from '@opentelemetry/sdk-trace-node'
import { collectProcessMetrics } from './metrics.js'

export interface Telemetry {
  shutdown(): Promise<void>
}

let holders = 0
let stop: (() => Promise<void>) | undefined

/**
 * Without a collector nothing is sampled: spans then hold ids alone and cost next to nothing, while trace ids still
 * travel through HTTP, gRPC and events into every log line.
 */
function startLocalTracing(): () => Promise<void> {
  const provider = new NodeTracerProvider({ sampler: new AlwaysOffSampler() })
  provider.register()
  return () => provider.shutdown()
}

/** The exporter pulls in tens of megabytes of modules, so it is loaded only when there is somewhere to send to. */
function startExport(serviceName: string): () => Promise<void> {
  const require = createRequire(import.meta.url)
  const { NodeSDK } = require('@opentelemetry/sdk-node') as typeof import('@opentelemetry/sdk-node')
  const sdk = new NodeSDK({ serviceName, instrumentations: [] })
  sdk.start()
  return () => sdk.shutdown()
}

/** Idempotent for a process: the first caller names it, the last to shut down flushes. */
export function startTelemetry({ serviceName }: { serviceName: string }): Telemetry {
  collectProcessMetrics()
  holders += 1
  stop ??= process.env.OTEL_EXPORTER_OTLP_ENDPOINT ? startExport(serviceName) : startLocalTracing()
  let released = false
  return {
    async shutdown() {
      if (released) return
      released = true
      holders -= 1
      // Local tracing holds no resource and stays; the API accepts a global provider only once.
      if (holders === 0 && process.env.OTEL_EXPORTER_OTLP_ENDPOINT) await stop?.()
    },
  }
}
