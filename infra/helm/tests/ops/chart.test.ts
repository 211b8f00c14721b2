import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { installEnvoy } from '@millrace/stack-servers'
import { beforeAll, describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { addTracing, samplePercent, tracingParts } from '../../../tooling/envoy-tracing.mjs'
import { keepCertificates } from '../../../tooling/service-certificates.mjs'
import { chart, installHelm, kinds, type Rendered, render, valuesFile } from './helm.js'
import { type Check, checker, customResources, type Manifest, versions } from './schemas.js'

const sets = ['least', 'full', 'fixed']
const services = ['iam', 'workflow', 'scheduler', 'metadata', 'notification', 'artifact']
const root = join(import.meta.dirname, '../../../..')
let helm: string
const checks = new Map<string, Check>()

beforeAll(async () => {
  helm = await installHelm()
  const custom = customResources()
  for (const version of versions) checks.set(version, await checker(version, custom))
})

const faultsOf = (version: string, { manifests }: Rendered): string[] =>
  manifests.flatMap((manifest) => checks.get(version)?.(manifest) ?? ['no checker'])
const names = (manifests: Manifest[], kind: string): string[] => kinds(manifests, kind).map((one) => one.metadata.name)

describe.each(versions)('on Kubernetes %s', (version) => {
  test.each(sets)('every object of the values %s is one that the API knows', (values) => {
    const rendered = render(helm, version, values)
    expect(rendered.stderr).toBe('')
    expect(rendered.manifests.length).toBeGreaterThan(20)
    expect(faultsOf(version, rendered)).toEqual([])
  })

  test('a wrong field is found, of the API itself and of custom resources', () => {
    const { manifests } = render(helm, version, 'full')
    for (const kind of ['Deployment', 'NetworkPolicy', 'ScaledObject', 'PodMonitor', 'HTTPRoute', 'Certificate']) {
      const [good] = kinds(manifests, kind)
      const bad = { ...good, spec: { ...good?.spec, wrong: 1 } } as Manifest
      expect([kind, checks.get(version)?.(bad).length]).not.toEqual([kind, 0])
    }
  })
})

test('helm lint has nothing to say', () => {
  const { status, stdout } = spawnSync(helm, ['lint', chart, '--strict', '-f', valuesFile('full')], {
    encoding: 'utf8',
  })
  expect(status, stdout).toBe(0)
})

test('an older Kubernetes is refused', () => {
  expect(render(helm, '1.29.0', 'least').stderr).toContain('kubeVersion')
})

test.each([
  ['publicUrl=""', '/publicUrl'],
  ['kafka.brokers=[]', '/kafka/brokers'],
  ['kafka.brokers=["no-port"]', '/kafka/brokers/0'],
  ['services.scheduler.replicas=0', '/services/scheduler/replicas'],
  ['workers={"default":null}', '/workers'],
  ['workers.default.queues=["a b"]', '/workers/default/queues/0'],
  ['env={"DATABASE_URL":"postgres://x"}', 'DATABASE_URL'],
  ['imagee={}', 'imagee'],
  ['autoscaling.keda={"enabled":true,"prometheusUrl":""}', '/autoscaling/keda/prometheusUrl'],
  ['ingress={"enabled":true,"host":""}', '/ingress/host'],
  ['logLevel="loud"', '/logLevel'],
  ['tls.secrets.iam=""', '/tls/secrets/iam'],
  ['tls.secrets.gateway=null', 'gateway'],
  ['tls.issuer={"name":"services","kind":""}', '/tls/issuer/kind'],
  ['networkPolicy.servers.kafka.peers=[{}]', '/networkPolicy/servers/kafka/peers/0'],
  ['networkPolicy.servers.mongo=null', 'mongo'],
])('values %s are refused, naming %s', (set, place) => {
  const { status, stderr } = render(helm, versions[0], 'least', [set])
  expect(status).not.toBe(0)
  expect(stderr).toContain(place)
})

test('every pod is unprivileged, bounded, probed and drained, and sees its own Secrets alone', () => {
  const { manifests } = render(helm, versions[1], 'full')
  const deployments = kinds(manifests, 'Deployment')
  expect(deployments.length).toBe(services.length + 3)
  for (const { metadata, spec } of [...deployments, ...kinds(manifests, 'Job')]) {
    const pod = spec.template.spec
    expect(pod).toMatchObject({ automountServiceAccountToken: false, securityContext: { runAsNonRoot: true } })
    for (const container of pod.containers) {
      const safe = { readOnlyRootFilesystem: true, allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } }
      expect([metadata.name, container.securityContext]).toEqual([metadata.name, safe])
      expect(container.resources).toMatchObject({
        requests: { cpu: expect.any(String) },
        limits: { memory: expect.any(String) },
      })
      const secrets = (container.envFrom ?? []).flatMap(
        (from: { secretRef?: { name: string } }) => from.secretRef?.name ?? [],
      )
      const own =
        container.name === 'envoy'
          ? []
          : container.name === 'setup'
            ? ['millrace-setup']
            : ['millrace-shared', `millrace-${container.name}`]
      expect(secrets).toEqual(own)
    }
  }
  for (const { spec } of deployments) {
    const [container] = spec.template.spec.containers
    for (const probe of ['startupProbe', 'livenessProbe', 'readinessProbe']) expect(container[probe]).toBeDefined()
    expect(spec.template.spec.topologySpreadConstraints).toHaveLength(2)
    expect(spec.template.spec.terminationGracePeriodSeconds).toBeGreaterThan(20)
  }
  expect(names(manifests, 'PodDisruptionBudget').sort()).toEqual(
    deployments.map(({ metadata }) => metadata.name).sort(),
  )
  expect(kinds(manifests, 'Secret')).toEqual([])
})

test('a worker has longer to end than its tasks have to finish, and scales by its own queues', () => {
  const { manifests } = render(helm, versions[1], 'full')
  const worker = kinds(manifests, 'Deployment').find(({ metadata }) => metadata.name === 'mr-worker-mail')
  const { terminationGracePeriodSeconds, containers } = worker?.spec.template.spec ?? {}
  expect(terminationGracePeriodSeconds).toBe(25)
  expect(containers[0].env).toContainEqual({ name: 'MILLRACE_WORKER_DRAIN_TIMEOUT', value: '10s' })
  expect(containers[0].env).toContainEqual({ name: 'MILLRACE_WORKER_QUEUES', value: 'mail,bulk-mail' })
  const scaled = kinds(manifests, 'ScaledObject').find(({ metadata }) => metadata.name === 'mr-worker-mail')
  expect(scaled?.spec).toMatchObject({ minReplicaCount: 0, maxReplicaCount: 5 })
  const queries = scaled?.spec.triggers.map((trigger: { metadata: { query: string } }) => trigger.metadata.query)
  expect(queries[0]).toBe('sum(max by (queue) (millrace_scheduler_queue_tasks{state="ready",queue=~"mail|bulk-mail"}))')
  const age = scaled?.spec.triggers[1]
  expect(age).toMatchObject({ type: 'prometheus', metricType: 'Value', metadata: { threshold: '30' } })
  expect(age.metadata.query).toBe('max(max by (queue) (millrace_scheduler_queue_age_seconds{queue=~"mail|bulk-mail"}))')
  expect(scaled?.spec.triggers).toHaveLength(2)
  expect(names(manifests, 'HorizontalPodAutoscaler')).not.toContain('mr-worker-mail')
})

test('everything is denied by default, and workers reach what they need alone', () => {
  const { manifests } = render(helm, versions[1], 'full')
  const policies = kinds(manifests, 'NetworkPolicy')
  const deny = policies.find(({ metadata }) => metadata.name === 'mr-default-deny')
  expect(deny?.spec).toMatchObject({ policyTypes: ['Ingress', 'Egress'] })
  expect(deny?.spec.ingress).toBeUndefined()
  const worker = policies.find(({ metadata }) => metadata.name === 'mr-worker')
  expect(worker?.spec.egress[0].ports).toEqual([7071, 7072, 8085, 9081].map((port) => ({ port })))
  expect(kinds(render(helm, versions[1], 'fixed').manifests, 'NetworkPolicy')).toEqual([])
})

const certificateOf = (pod: { volumes: { name: string; secret?: { secretName: string } }[] }) =>
  pod.volumes.flatMap(({ name, secret }) => (name === 'tls' ? [secret?.secretName] : []))

test('services and Envoy speak TLS unless told otherwise: each mounts its own certificate and is probed without one', () => {
  const { manifests } = render(helm, versions[1], 'least')
  expect(kinds(manifests, 'Certificate')).toEqual([])
  for (const { spec } of kinds(manifests, 'Deployment')) {
    const [container] = spec.template.spec.containers
    const holder = container.name === 'envoy' ? 'gateway' : container.name
    expect(certificateOf(spec.template.spec)).toEqual([`millrace-${holder}-tls`])
    expect(container.volumeMounts).toContainEqual({ name: 'tls', mountPath: '/etc/millrace/tls', readOnly: true })
    if (holder === 'gateway') continue
    const variables = container.env.map(({ name }: { name: string }) => name)
    for (const part of ['CERT', 'KEY', 'CA']) expect(variables).toContain(`MILLRACE_TLS_SERVICE_${part}`)
    expect(variables.includes('MILLRACE_SERVICE_PROBE_PORT')).toBe(holder !== 'worker')
    expect(container.readinessProbe.httpGet.port).toBe('probe')
    expect(container.ports).toContainEqual({ name: 'probe', containerPort: holder === 'worker' ? 8087 : 9464 })
  }
  const policy = kinds(manifests, 'NetworkPolicy').find(({ metadata }) => metadata.name === 'mr-iam')
  expect(policy?.spec.ingress.at(-1).ports).toEqual([{ port: 9464 }])
})

test('cert-manager makes the certificates when an issuer is named, one for each holder', () => {
  const { manifests } = render(helm, versions[1], 'full')
  const made = kinds(manifests, 'Certificate').map(({ spec }) => [spec.secretName, spec.dnsNames, spec.issuerRef.kind])
  const holders = ['gateway', 'worker', ...services].sort()
  expect(made.sort()).toEqual(
    holders.map((holder) => [`millrace-${holder}-tls`, [`${holder}.millrace.internal`], 'ClusterIssuer']),
  )
  expect(kinds(manifests, 'PodMonitor')[0]?.spec.podMetricsEndpoints[0].port).toBe('probe')
})

test('without TLS inside nothing of it is left', () => {
  const { manifests } = render(helm, versions[1], 'fixed')
  expect(JSON.stringify(manifests)).not.toMatch(
    /MILLRACE_TLS|millrace\/tls|"probe"|https:\/\/mr-artifact|\.millrace\.internal/,
  )
})

const envoyConfigOf = ({ manifests }: Rendered): Record<string, string> =>
  kinds(manifests, 'ConfigMap').find(({ metadata }) => metadata.name === 'mr-envoy')?.data

/** As the pod has them mounted. */
async function envoyValidates(files: Record<string, string>): Promise<{ status: number | null; stderr: string }> {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-chart-'))
  try {
    keepCertificates(join(folder, 'tls'))
    const here = (content: string) =>
      content.replaceAll('/etc/envoy', folder).replaceAll('/etc/millrace/tls', join(folder, 'tls', 'gateway'))
    for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), here(content))
    return spawnSync(await installEnvoy(), ['--mode', 'validate', '-c', join(folder, 'envoy.yaml')], {
      encoding: 'utf8',
    })
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

test.each(sets)(
  'Envoy’s configuration of the values %s is the generated one with this release’s names, and Envoy accepts it',
  async (set) => {
    const generated = ['envoy.yaml', 'envoy-tls.yaml', 'service-certificate.yaml', 'service-authority.yaml']
    for (const name of generated) {
      const own = readFileSync(join(chart, 'files', name), 'utf8')
      expect(own).toBe(readFileSync(join(root, 'infra/envoy', name), 'utf8'))
    }
    const files = envoyConfigOf(render(helm, versions[1], set))
    const text = files['envoy.yaml'] ?? ''
    for (const service of services) expect(text).toContain(`address: mr-${service}\n`)
    expect(text.includes('iam.millrace.internal')).toBe(set !== 'fixed')
    expect(text.includes('tracing:')).toBe(set === 'full')
    const { status, stderr } = await envoyValidates(files)
    expect(status, stderr).toBe(0)
  },
)

test('compose’s Envoy accepts the configuration that it is given where there is a collector', async () => {
  const names = ['envoy-tls-traced.yaml', 'service-certificate.yaml', 'service-authority.yaml']
  const [traced = '', ...others] = names.map((name) => readFileSync(join(root, 'infra/envoy', name), 'utf8'))
  const files = { 'envoy.yaml': traced, [names[1] ?? '']: others[0] ?? '', [names[2] ?? '']: others[1] ?? '' }
  const { status, stderr } = await envoyValidates(files)
  expect(status, stderr).toBe(0)
})

describe('with a collector', () => {
  const rendered = (...set: string[]) =>
    parse(envoyConfigOf(render(helm, versions[1], 'full', set))['envoy.yaml'] ?? '')

  test('Envoy’s configuration is what the stack’s supervisor makes of the same file', () => {
    const plain = parse(envoyConfigOf(render(helm, versions[1], 'full', ['otlp.endpoint=""']))['envoy.yaml'] ?? '')
    const expected = addTracing(plain, { endpoint: 'http://collector.monitoring:4318' }).static_resources
    const { listeners, clusters } = rendered().static_resources
    expect(listeners).toEqual(expected.listeners)
    expect(clusters).toHaveLength(expected.clusters.length)
    expect(clusters).toEqual(expect.arrayContaining(expected.clusters))
  })

  test('another address and the sampler of the services are taken over', () => {
    const env = { OTEL_TRACES_SAMPLER: 'parentbased_traceidratio', OTEL_TRACES_SAMPLER_ARG: '0.025' }
    const [set, settings] = ['otlp.endpoint="http://10.5.0.1/otlp/"', `env=${JSON.stringify(env)}`]
    const { tracing, cluster } = tracingParts({ endpoint: 'http://10.5.0.1/otlp/', percent: samplePercent(env) })
    const { listeners, clusters } = rendered(set, settings).static_resources
    for (const { filter_chains: chains } of listeners)
      expect(chains[0].filters[0].typed_config.tracing).toEqual(tracing)
    expect(clusters).toContainEqual(cluster)
    const none = tracingParts({ endpoint: 'http://collector.monitoring:4318', percent: 0 })
    const off = rendered('env={"OTEL_TRACES_SAMPLER":"always_off"}').static_resources.listeners[0]
    expect(off.filter_chains[0].filters[0].typed_config.tracing).toEqual(none.tracing)
  })

  test('behind TLS it is left to the services: Envoy exports over plain HTTP', () => {
    expect(JSON.stringify(rendered('otlp.endpoint="https://collector.example"'))).not.toContain('tracing')
  })
})

test('rules of the chart are those of infra/prometheus', () => {
  for (const name of ['records.yml', 'alerts.yml']) {
    const own = readFileSync(join(chart, 'files/rules', name), 'utf8')
    expect(own).toBe(readFileSync(join(root, 'infra/prometheus/rules', name), 'utf8'))
  }
})
