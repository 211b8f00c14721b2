import {
  Counter,
  collectDefaultMetrics,
  Gauge,
  Histogram,
  type Metric,
  type OpenMetricsContentType,
  Registry,
} from 'prom-client'
import { sampledTraceId } from './tracing.js'

export type { Counter, Gauge, Histogram }

/** One registry a process: services that share a process share it, and each measure is labelled by its owner. */
export const metricsRegistry = new Registry()

/** Renders for those who ask for it, and takes in what has exemplars: the library allows those in no other registry. */
const openMetrics = new Registry<OpenMetricsContentType>()
openMetrics.setContentType(Registry.OPENMETRICS_CONTENT_TYPE)

export interface MetricOptions<L extends string> {
  name: string
  help: string
  labelNames?: readonly L[]
}

export interface HistogramOptions<L extends string> extends MetricOptions<L> {
  /** Seconds. */
  buckets?: number[]
}

const defaultBuckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

function existing<M extends Metric>(name: string): M | undefined {
  return metricsRegistry.getSingleMetric(name) as M | undefined
}

export function counter<L extends string = never>({ name, help, labelNames = [] }: MetricOptions<L>): Counter<L> {
  return existing<Counter<L>>(name) ?? new Counter<L>({ name, help, labelNames, registers: [metricsRegistry] })
}

export function gauge<L extends string = never>({ name, help, labelNames = [] }: MetricOptions<L>): Gauge<L> {
  return existing<Gauge<L>>(name) ?? new Gauge<L>({ name, help, labelNames, registers: [metricsRegistry] })
}

export function histogram<L extends string = never>(options: HistogramOptions<L>): Histogram<L> {
  const { name, help, labelNames = [], buckets = defaultBuckets } = options
  return (
    existing<Histogram<L>>(name) ?? new Histogram<L>({ name, help, labelNames, buckets, registers: [metricsRegistry] })
  )
}

export interface TracedHistogram<L extends string> {
  observe(labels: Record<L, string>, seconds: number): void
}

/** Each bucket keeps the trace of its last observation as an exemplar. */
export function tracedHistogram<L extends string>(options: HistogramOptions<L>): TracedHistogram<L> {
  const { name, help, labelNames = [], buckets = defaultBuckets } = options
  const made =
    existing<Histogram<string>>(name) ??
    new Histogram<string>({ name, help, labelNames, buckets, enableExemplars: true, registers: [openMetrics] })
  metricsRegistry.registerMetric(made)
  return {
    observe(labels, value) {
      const traceId = sampledTraceId()
      made.observe({ labels, value, exemplarLabels: traceId === undefined ? {} : { trace_id: traceId } })
    },
  }
}

export const metricsContentType = metricsRegistry.contentType

export const metricsText = (): Promise<string> => metricsRegistry.metrics()

/** Missing in the library's types. */
type Renderer = { getMetricsAsString(metric: unknown): Promise<string> }

/** The library's own switch renames counters for good: here the text of one scrape has them without their suffix. */
async function openMetricsText(): Promise<string> {
  const renderer = openMetrics as unknown as Renderer
  const metrics = metricsRegistry.getMetricsAsArray() as unknown as (Metric & { type: string })[]
  const texts = await Promise.all(
    metrics.map((metric) => renderer.getMetricsAsString(metric.type === 'counter' ? withoutSuffix(metric) : metric)),
  )
  return `${texts.join('\n')}\n# EOF\n`
}

const withoutSuffix = (metric: Metric) => ({
  get: async () => {
    const { name, ...facts } = await metric.get()
    return { ...facts, name: name.replace(/_total$/, '') }
  },
})

/** OpenMetrics, which alone has exemplars, for whoever asks for it. */
export async function scrape(accept: string | undefined): Promise<{ contentType: string; body: string }> {
  if (!accept?.includes('application/openmetrics-text')) {
    return { contentType: metricsContentType, body: await metricsText() }
  }
  return { contentType: Registry.OPENMETRICS_CONTENT_TYPE, body: await openMetricsText() }
}

let collecting = false

export function collectProcessMetrics(): void {
  if (collecting) return
  collecting = true
  collectDefaultMetrics({ register: metricsRegistry })
}
