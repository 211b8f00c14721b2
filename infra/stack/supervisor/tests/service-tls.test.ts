import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { serviceIdentity } from '@millrace/config'
import { generateServiceKeySet, isServiceName } from '@millrace/identity'
import { sameUrlForAll } from '@millrace/standalone-service'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { parse } from 'yaml'
import { keepCertificates } from '../../../tooling/service-certificates.mjs'
import { readStackConfig } from '../src/config.js'
import { writeEnvoyFile } from '../src/envoy-file.js'
import type { StackPorts } from '../src/ports.js'
import { serviceSpecs } from '../src/service-specs.js'

const folder = mkdtempSync(join(tmpdir(), 'millrace-stack-tls-'))
const tlsDir = join(folder, 'tls')
/** Every name has a port of its own. */
const ports = new Proxy({ workersHttp: [1, 2] } as StackPorts, {
  get: (known, name) =>
    Reflect.get(known, name) ?? 1000 + ([...String(name)].reduce((sum, c) => sum * 7 + c.charCodeAt(0), 0) % 50_000),
})
const config = readStackConfig({ MILLRACE_TLS_SERVICES: 'true', MILLRACE_DATA_DIR: folder })

beforeAll(() => {
  mkdirSync(tlsDir)
  keepCertificates(tlsDir)
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

function specs(tls: string | undefined) {
  return serviceSpecs({
    execPath: process.execPath,
    ...{ config, ports, adminPassword: 'x', dataDir: folder, tlsDir: tls, databaseUrls: sameUrlForAll('postgres://x') },
    ...{ s3: { name: 'x', password: 'x', bucket: 'x' }, mongo: { name: 'x', password: 'x' }, kafkaPasswords: {} },
    keys: { masterKey: 'x', services: generateServiceKeySet() },
  }).flat()
}

test('TLS between services is asked for', () => {
  expect(config.tlsServices).toBe(true)
  expect(readStackConfig({}).tlsServices).toBe(false)
})

test('each service gets its own certificate, which it takes, and is probed where it needs none', () => {
  for (const { name, env = {}, address } of specs(tlsDir)) {
    const service = name.replace(/-\d+$/, '')
    if (!isServiceName(service)) throw new Error(`${name} is no service`)
    expect(serviceIdentity(service).read(env)).toMatchObject({ value: { tls: { name: service } } })
    const probes = service === 'worker' ? env.MILLRACE_SERVICE_HTTP_PORT : env.MILLRACE_SERVICE_PROBE_PORT
    expect([name, address]).toEqual([name, `127.0.0.1:${probes}`])
    expect(env.MILLRACE_ARTIFACT_URL).toMatch(/^https:/)
    expect(env.MILLRACE_READY_DEPENDENCIES).toContain(`iam=http://127.0.0.1:${ports.iamProbe}/`)
  }
})

test('without it nothing of it is given', () => {
  for (const { env = {} } of specs(undefined)) {
    expect(Object.entries(env).filter(([name, value]) => /TLS|PROBE/.test(name) && value !== undefined)).toEqual([])
    expect(env.MILLRACE_ARTIFACT_URL).toMatch(/^http:/)
    expect(env.MILLRACE_READY_DEPENDENCIES).toContain(`iam=http://127.0.0.1:${ports.iamHttp}/`)
  }
})

test('Envoy calls every service by its name, and nobody else with TLS', () => {
  const clustersOf = (services: string | undefined) => {
    const { path } = writeEnvoyFile(folder, config, ports, { edge: undefined, services })
    const document = parse(readFileSync(path, 'utf8')) as { static_resources: { clusters: { name: string }[] } }
    return document.static_resources.clusters
  }
  for (const cluster of clustersOf(tlsDir)) {
    const service = cluster.name.replace('-grpc', '')
    expect(JSON.stringify(cluster)).toContain(`"exact":"${service}.millrace.internal"`)
  }
  expect(readFileSync(join(folder, 'envoy-certificate.json'), 'utf8')).toContain(join(tlsDir, 'gateway', 'tls.crt'))
  expect(JSON.stringify(clustersOf(undefined))).not.toContain('transport_socket')
})

test('a gateway without TLS that others reach comes with a warning', () => {
  const warningAt = (host: string, edge?: string) => {
    const heard = readStackConfig({ MILLRACE_HOST: host, MILLRACE_DATA_DIR: folder })
    return writeEnvoyFile(folder, heard, ports, { edge, services: undefined }).warning
  }
  expect(warningAt('0.0.0.0')).toContain('on 0.0.0.0 without TLS')
  expect([warningAt('127.0.0.1'), warningAt('0.0.0.0', join(folder, 'tls.json'))]).toEqual([undefined, undefined])
})
