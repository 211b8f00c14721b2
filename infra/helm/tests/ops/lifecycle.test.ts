import { beforeAll, describe, expect, test } from 'vitest'
import { installHelm, kinds, named, render } from './helm.js'
import { type Manifest, versions } from './schemas.js'

let manifests: Manifest[]
beforeAll(async () => {
  manifests = render(await installHelm(), versions[1], 'least').manifests
})

const hookOf = ({ metadata }: Manifest): string | undefined => metadata.annotations?.['helm.sh/hook']
const annotationsOf = (weight: string, deleted: string) => ({
  'helm.sh/hook': 'pre-install,pre-upgrade',
  'helm.sh/hook-weight': weight,
  'helm.sh/hook-delete-policy': deleted,
})
const containerOf = ({ spec }: Manifest) => spec.template.spec.containers[0]
const configMapsOf = (manifest: Manifest): string[] =>
  (containerOf(manifest).envFrom ?? []).flatMap(
    ({ configMapRef }: { configMapRef?: { name: string } }) => configMapRef?.name ?? [],
  )

describe('the set-up before an installation and an upgrade', () => {
  test('is a Job after what it needs, and nothing else is a hook', () => {
    const hooks = manifests.filter((manifest) => hookOf(manifest) !== undefined)
    const found = hooks.map(({ kind, metadata }) => [kind, metadata.name, metadata.annotations] as const)
    const before = annotationsOf('-10', 'before-hook-creation')
    expect(found.sort()).toEqual([
      ['ConfigMap', 'mr-setup', before],
      ['Job', 'mr-setup', annotationsOf('0', 'before-hook-creation,hook-succeeded')],
      ['NetworkPolicy', 'mr-setup-servers', before],
    ])
  })

  test('resolves names and reaches its servers before there is any other policy', () => {
    const job = named(manifests, 'Job', 'mr-setup')
    const policy = named(manifests, 'NetworkPolicy', 'mr-setup-servers')
    expect(job.spec.template.metadata.labels).toMatchObject(policy.spec.podSelector.matchLabels)
    const names = [
      { port: 53, protocol: 'UDP' },
      { port: 53, protocol: 'TCP' },
    ]
    const kafka = { namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'kafka' } } }
    expect(policy.spec.egress).toEqual([
      { ports: names },
      { ports: [{ port: 5432 }], to: [{ ipBlock: { cidr: '10.1.0.0/16' } }] },
      { ports: [{ port: 9093 }], to: [kafka] },
    ])
    expect(named(manifests, 'NetworkPolicy', 'mr-default-deny').spec.egress).toEqual([{ ports: names }])
  })

  test('reads a copy of the settings, which services read from the release itself, as a rollback brings it back', () => {
    expect(configMapsOf(named(manifests, 'Job', 'mr-setup'))).toEqual(['mr-setup'])
    const services = kinds(manifests, 'Deployment').filter(({ metadata }) => metadata.name !== 'mr-envoy')
    expect(services).toHaveLength(7)
    for (const service of services) expect(configMapsOf(service)).toEqual(['mr-settings'])
    const settings = named(manifests, 'ConfigMap', 'mr-settings')
    expect(hookOf(settings)).toBeUndefined()
    expect(settings.data).toMatchObject({ MILLRACE_KAFKA_BROKERS: 'kafka-0.kafka:9093,kafka-1.kafka:9093' })
    expect(settings.data).toEqual(named(manifests, 'ConfigMap', 'mr-setup').data)
  })
})

test('other settings are another pod: an upgrade and a rollback replace it', async () => {
  const other = render(await installHelm(), versions[1], 'least', ['logLevel="debug"']).manifests
  const checksum = (of: Manifest[], name: string): string =>
    named(of, 'Deployment', name).spec.template.metadata.annotations['checksum/config']
  for (const name of ['mr-iam', 'mr-worker-default']) {
    expect(checksum(other, name)).not.toBe(checksum(manifests, name))
  }
  expect(checksum(other, 'mr-envoy')).toBe(checksum(manifests, 'mr-envoy'))
})

describe('a pod that ends', () => {
  /** Seconds in which a service ends its calls, and Envoy its connections. */
  const draining = 20

  test.each(['iam', 'workflow', 'scheduler', 'metadata', 'notification', 'artifact', 'envoy'])(
    '%s goes on until its address is forgotten, and has time to drain after that',
    (name) => {
      const deployment = named(manifests, 'Deployment', `mr-${name}`)
      const [command, seconds] = containerOf(deployment).lifecycle.preStop.exec.command
      expect([command, seconds]).toEqual(['sleep', name === 'envoy' ? '10' : '5'])
      const grace = deployment.spec.template.spec.terminationGracePeriodSeconds
      expect(grace).toBeGreaterThanOrEqual(Number(seconds) + draining + 10)
    },
  )

  test('a worker drains at once: it asks for its tasks, nobody sends it any', () => {
    expect(containerOf(named(manifests, 'Deployment', 'mr-worker-default')).lifecycle).toBeUndefined()
  })
})
