import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { installHelm, type Rendered, render } from './helm.js'
import { versions } from './schemas.js'

let helm: string
beforeAll(async () => {
  helm = await installHelm()
})

const rendered = (set: string[], values = 'least'): Rendered => render(helm, versions[1], values, set)
const closed = (server: string) => `networkPolicy.servers.${server}={"cidrs":[],"peers":[]}`

test.each(['postgres', 'kafka', 'mongo', 's3'])('policies that close %s to every pod are refused', (server) => {
  const { status, stderr } = rendered([closed(server)])
  expect(status).not.toBe(0)
  expect(stderr).toContain(`networkPolicy.servers.${server} has neither cidrs nor peers`)
})

test('the collector is needed when it has an endpoint, and nothing is when there are no policies', () => {
  expect(rendered([]).status).toBe(0)
  const endpoint = 'otlp.endpoint="http://collector:4318"'
  expect(rendered([endpoint]).stderr).toContain('networkPolicy.servers.otlp has neither')
  expect(rendered([endpoint, 'networkPolicy.servers.otlp.cidrs=["10.6.0.0/16"]']).status).toBe(0)
  expect(rendered([closed('postgres'), 'networkPolicy.enabled=false']).status).toBe(0)
})

test.each(['services.scheduler', 'workers.default', 'envoy'])(
  'fewer maxReplicas than replicas of %s are refused',
  (place) => {
    const set = [`${place}.replicas=3`, `${place}.maxReplicas=2`]
    const { status, stderr } = rendered(set)
    expect(status).not.toBe(0)
    expect(stderr).toContain(`${place}.maxReplicas is 2, fewer than its 3 replicas`)
    expect(rendered([`${place}.replicas=3`, `${place}.maxReplicas=3`]).status).toBe(0)
    // Nothing reads maxReplicas without an autoscaler.
    expect(rendered(set, 'fixed').status).toBe(0)
  },
)

test('workers start from none by KEDA, or stay at none without an autoscaler, and not by CPU', () => {
  const none = ['workers.default.replicas=0']
  const { status, stderr } = rendered(none)
  expect(status).not.toBe(0)
  expect(stderr).toContain('workers.default.replicas is 0')
  expect(rendered(none, 'full').status).toBe(0)
  expect(rendered(none, 'fixed').status).toBe(0)
})

test('all faults are named at once', () => {
  const { stderr } = rendered([closed('postgres'), closed('s3'), 'workers.default.replicas=30'])
  for (const place of ['servers.postgres', 'servers.s3', 'workers.default.maxReplicas is 20']) {
    expect(stderr).toContain(place)
  }
})

test('the least values of the guide are accepted', () => {
  const guide = readFileSync(join(import.meta.dirname, '../../../../docs/guides/kubernetes.md'), 'utf8')
  const [, least = ''] = /```yaml\n(.*?)```/s.exec(guide) ?? []
  const folder = mkdtempSync(join(tmpdir(), 'millrace-chart-'))
  try {
    const file = join(folder, 'values.yaml')
    writeFileSync(file, least)
    const { status, stderr } = rendered([], file)
    expect(status, stderr).toBe(0)
    writeFileSync(file, least.replace(/^networkPolicy:[\s\S]*/m, ''))
    expect(rendered([], file).stderr).toContain('networkPolicy.servers.postgres has neither')
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})
