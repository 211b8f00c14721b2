import { Counter, collectDefaultMetrics, Gauge, Histogram, type Metric, Registry } from 'prom-client'

export type { Counter, Gauge, Histogram }

/** One registry a process: services that share a process share it, and each measure is labelled by its owner. */
export const metricsRegistry = new Registry()

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

export const metricsContentType = metricsRegistry.contentType

export const metricsText = (): Promise<string> => metricsRegistry.metrics()

let collecting = false

export function collectProcessMetrics(): void {
  if (collecting) return
  collecting = true
  collectDefaultMetrics({ register: metricsRegistry })
}
