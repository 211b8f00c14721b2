import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { addTracing, samplePercent } from '../../../tooling/envoy-tracing.mjs'
import { fillEnvoy } from '../src/index.js'

const committed = join(import.meta.dirname, '..', '..', '..', 'envoy', 'envoy.yaml')
const document = () => parse(readFileSync(committed, 'utf8')) as Parameters<typeof fillEnvoy>[0]
const listeners = { http: '127.0.0.1:1', grpc: '127.0.0.1:2' }
const names = document().static_resources.clusters.map(({ name }) => name)
const clusters = (of: (name: string) => string[]) => Object.fromEntries(names.map((name) => [name, of(name)]))

test('every listener and cluster of the repository gets its address, replicas side by side with a health check', () => {
  const replicas = ['127.0.0.1:3', '127.0.0.1:4']
  const filled = fillEnvoy(
    document(),
    listeners,
    clusters((name) => (name === 'scheduler-grpc' ? replicas : ['127.0.0.1:9'])),
  )
  const scheduler = filled.static_resources.clusters.find(({ name }) => name === 'scheduler-grpc')
  const text = JSON.stringify(scheduler)
  for (const port of [3, 4]) expect(text).toContain(`"port_value":${port}`)
  expect(scheduler?.health_checks).toHaveLength(1)
  for (const cluster of filled.static_resources.clusters) {
    if (cluster !== scheduler) expect(JSON.stringify(cluster.load_assignment)).toContain('"port_value":9')
  }
  expect(filled.static_resources.listeners.map(({ address }) => JSON.stringify(address))).toEqual([
    '{"socket_address":{"address":"127.0.0.1","port_value":1}}',
    '{"socket_address":{"address":"127.0.0.1","port_value":2}}',
  ])
})

test('a cluster that the stack does not know is no silent hole', () => {
  const { iam: _, ...rest } = clusters(() => ['127.0.0.1:9'])
  expect(() => fillEnvoy(document(), listeners, rest)).toThrow('no address for iam')
})

test('the gateway traces on every listener where there is a collector, and not in the file of the repository', () => {
  const managers = (of: object) => JSON.stringify(of).match(/"tracing":/g)?.length ?? 0
  expect(managers(document())).toBe(0)
  const traced = addTracing(document(), { endpoint: 'http://collector:4318/', percent: 2.5 })
  expect(managers(traced)).toBe(traced.static_resources.listeners.length)
  const text = JSON.stringify(traced)
  expect(text).toContain('"uri":"http://collector:4318/v1/traces"')
  expect(text).toContain('"address":"collector","port_value":4318')
  expect(text).toContain('"numerator":25000')
  expect(() => addTracing(document(), { endpoint: 'https://collector' })).toThrow('plain HTTP')
})

test('the gateway begins as many traces as the services would', () => {
  const percent = (OTEL_TRACES_SAMPLER?: string, OTEL_TRACES_SAMPLER_ARG?: string) =>
    samplePercent({ OTEL_TRACES_SAMPLER, OTEL_TRACES_SAMPLER_ARG })
  expect([percent(), percent('always_on'), percent('parentbased_always_off')]).toEqual([100, 100, 0])
  expect([percent('parentbased_traceidratio', '0.25'), percent('traceidratio')]).toEqual([25, 100])
})
