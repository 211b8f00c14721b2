import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createLogger } from '@millrace/logger'
import { trace } from '@opentelemetry/api'
import { describe, expect, test, vi } from 'vitest'
import { parse } from 'yaml'

// What no test can start here is read as its program would read it, and held against compose.yml and each other.
const root = join(import.meta.dirname, '../../..')
const textOf = (path: string) => readFileSync(join(root, path), 'utf8')
const read = (path: string) => parse(textOf(path), { merge: true })

interface Service {
  profiles?: string[]
  command?: string[]
  volumes?: string[]
}
const services = read('compose.yml').services as Record<string, Service>
const loki = read('infra/loki/config.yaml')
const tempo = read('infra/tempo/config.yaml')
const collector = read('infra/otel-collector/config.yaml')
const provisioned = read('infra/grafana/provisioning/datasources/datasources.yaml')
const providers = read('infra/grafana/provisioning/dashboards/dashboards.yaml')

const mountsOf = (name: string): string[][] => (services[name]?.volumes ?? []).map((volume) => volume.split(':'))
const mountPoint = (name: string, source: string) => mountsOf(name).find(([from]) => from === source)?.[1]
const portOf = (address: string) => Number(address.split(':').at(-1))

describe.each([
  { name: 'loki', file: './infra/loki/config.yaml', flag: '-config.file=' },
  { name: 'tempo', file: './infra/tempo/config.yaml', flag: '-config.file=' },
  { name: 'otel-collector', file: './infra/otel-collector/config.yaml', flag: '--config=' },
  { name: 'prometheus', file: './infra/prometheus/prometheus.yml', flag: '--config.file=' },
])('$name', ({ name, file, flag }) => {
  test('is told to read the file where compose.yml mounts it', () => {
    expect(services[name]?.profiles).toEqual(['observability'])
    expect(services[name]?.command).toContain(`${flag}${mountPoint(name, file)}`)
  })
})

test('Loki keeps chunks, rules and its compactor on its volume, and deletes what is past its time', () => {
  const volume = mountPoint('loki', 'loki')
  const { filesystem } = loki.common.storage
  for (const path of [loki.common.path_prefix, ...Object.values(filesystem), loki.compactor.working_directory]) {
    expect(`${path}/`).toContain(`${volume}/`)
  }
  expect(loki.compactor).toMatchObject({ retention_enabled: true, delete_request_store: 'filesystem' })
  expect(loki.limits_config.retention_period).toMatch(/^\d+h$/)
  // Structured metadata, by which the collector sends trace ids, needs this store and schema.
  expect(loki.limits_config.allow_structured_metadata).toBe(true)
  expect(loki.schema_config.configs).toEqual([
    expect.objectContaining({ store: 'tsdb', schema: 'v13', object_store: 'filesystem' }),
  ])
  expect(loki.schema_config.configs[0].index.period).toBe('24h')
})

test('Tempo takes OTLP where the collector sends it, keeps traces on its volume, and as long as Loki its lines', () => {
  expect(portOf(tempo.distributor.receivers.otlp.protocols.grpc.endpoint)).toBe(4317)
  expect(collector.exporters['otlp/tempo'].endpoint).toBe('tempo:4317')
  const volume = mountPoint('tempo', 'tempo')
  const { backend, local, wal } = tempo.storage.trace
  expect(backend).toBe('local')
  for (const { path } of [local, wal]) expect(path).toContain(`${volume}/`)
  expect(tempo.compactor.compaction.block_retention).toBe(loki.limits_config.retention_period)
})

test('every pipeline of the collector names what is declared, and everything declared is in a pipeline', () => {
  for (const kind of ['receivers', 'processors', 'exporters']) {
    const pipelines = Object.values(collector.service.pipelines) as Record<string, string[]>[]
    const named = new Set(pipelines.flatMap((pipeline) => pipeline[kind] ?? []))
    expect([kind, [...named].sort()]).toEqual([kind, Object.keys(collector[kind]).sort()])
  }
  const loads = collector.exporters['otlphttp/loki'].endpoint
  expect(loads).toBe(`http://loki:${loki.server.http_listen_port}/otlp`)
  const reader = collector.service.telemetry.metrics.readers[0].pull.exporter.prometheus
  expect(textOf('infra/prometheus/prometheus.yml')).toContain(`otel-collector:${reader.port}`)
})

/** What a service writes within a span, with the names of the fields that hold the two ids. */
function lineWithinSpan(traceId: string, spanId: string) {
  const written: string[] = []
  const span = trace.wrapSpanContext({ traceId, spanId, traceFlags: 1 })
  const active = vi.spyOn(trace, 'getActiveSpan').mockReturnValue(span)
  createLogger({ service: 'test', stream: { write: (line) => void written.push(line) } }).info('within')
  active.mockRestore()
  const line: Record<string, unknown> = JSON.parse(written[0] ?? '')
  const nameOf = (value: string) => Object.keys(line).find((name) => line[name] === value)
  return { traceField: nameOf(traceId), spanField: nameOf(spanId) }
}

describe('the trace of a log line', () => {
  interface Operator {
    type: string
    from?: string
    to?: string
    field?: string
    trace_id?: { parse_from: string }
    span_id?: { parse_from: string }
  }
  const operators = collector.receivers.filelog.operators as Operator[]
  const parsers = operators.filter(({ type }) => type === 'trace_parser')

  test('is read by the collector from the fields that the logger writes, once the line was parsed', () => {
    const { traceField, spanField } = lineWithinSpan('a'.repeat(32), 'b'.repeat(16))
    expect(parsers).toEqual([
      expect.objectContaining({
        trace_id: { parse_from: `attributes.${traceField}` },
        span_id: { parse_from: `attributes.${spanField}` },
      }),
    ])
    const types = operators.map(({ type }) => type)
    expect(types).toEqual(['container', 'json_parser', 'move', 'trace_parser', 'remove', 'remove'])
  })

  test('is read from the field of the gateway too', () => {
    const field = /(\w+): "%TRACE_ID%"/.exec(textOf('infra/envoy/envoy.yaml'))?.[1]
    const moved = operators.find(({ type }) => type === 'move')
    expect(moved).toMatchObject({ from: `attributes.${field}`, to: parsers[0]?.trace_id?.parse_from })
  })

  test('is a link of Grafana, by the name under which Loki keeps the trace of a record', () => {
    const source = provisioned.datasources.find(({ type }: { type: string }) => type === 'loki')
    expect(source.jsonData.derivedFields).toEqual([
      expect.objectContaining({ matcherType: 'label', matcherRegex: 'trace_id', datasourceUid: 'tempo' }),
    ])
    // As Grafana expands variables when it provisions.
    expect(source.jsonData.derivedFields[0].url.replaceAll('$$', '$')).toBe('${__value.raw}')
  })
})

describe('Grafana', () => {
  const sources = provisioned.datasources as { uid: string; type: string; url: string; jsonData?: object }[]
  const uids = sources.map(({ uid }) => uid)

  test('has a source for each store, at the port where it listens', () => {
    const urls = Object.fromEntries(sources.map(({ type, url }) => [type, url]))
    expect(urls).toEqual({
      prometheus: 'http://prometheus:9090',
      tempo: `http://tempo:${tempo.server.http_listen_port}`,
      loki: `http://loki:${loki.server.http_listen_port}`,
    })
    for (const { url } of sources) expect(services).toHaveProperty(new URL(url).hostname)
    expect(new Set(uids).size).toBe(sources.length)
  })

  test('goes from an exemplar or a line to its trace and from a trace to its lines, by sources that are there', () => {
    const referred = [...JSON.stringify(sources).matchAll(/"datasourceUid":"([^"]+)"/g)].map((match) => match[1])
    expect(referred.sort()).toEqual(['loki', 'tempo', 'tempo'])
    for (const uid of referred) expect(uids).toContain(uid)
    expect(services.prometheus?.command).toContain('--enable-feature=exemplar-storage')
  })

  test('finds the dashboards where compose.yml mounts them, each asking a source that is there', () => {
    expect(mountPoint('grafana', './infra/grafana/provisioning')).toBe('/etc/grafana/provisioning')
    expect(providers.providers).toEqual([
      expect.objectContaining({
        type: 'file',
        options: { path: mountPoint('grafana', './infra/grafana/dashboards') },
      }),
    ])
    const files = readdirSync(join(root, 'infra/grafana/dashboards'))
    const dashboards = files.map((file) => JSON.parse(textOf(`infra/grafana/dashboards/${file}`)))
    for (const { panels, templating } of dashboards) {
      for (const { title, datasource } of panels) expect([title, uids.includes(datasource.uid)]).toEqual([title, true])
      for (const { datasource } of templating.list) expect(uids).toContain(datasource.uid)
    }
    expect(new Set(dashboards.map(({ uid }) => uid)).size).toBe(files.length)
  })
})
