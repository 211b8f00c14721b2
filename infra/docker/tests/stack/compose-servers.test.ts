import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { prepareKafka } from '@millrace/events'
import { installKafka, runTool, type ServerProcess, startServer } from '@millrace/stack-servers'
import { freePort, testLogger } from '@millrace/testkit'
import { Kafka, logLevel } from 'kafkajs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { parse } from 'yaml'
import { composeEnv } from '../../../tooling/compose-env.mjs'

const root = join(import.meta.dirname, '../../../..')
const secrets = composeEnv()
const folder = mkdtempSync(join(tmpdir(), 'millrace-compose-kafka-'))
let port: number
let server: ServerProcess

/** As the image turns its environment into server.properties. */
function propertiesOf(environment: Record<string, string>): Map<string, string> {
  const fill = (text: string) => text.replaceAll(/\$\{(\w+):\?\}/g, (_, name: string) => secrets[name] ?? '')
  const named = (name: string) =>
    name.slice('KAFKA_'.length).toLowerCase().replaceAll('___', '-').replaceAll('__', '\0').replaceAll('_', '.')
  const entries = Object.entries(environment).map(
    ([name, value]) => [named(name).replaceAll('\0', '_'), fill(String(value))] as const,
  )
  return new Map(entries)
}

beforeAll(async () => {
  const compose = parse(readFileSync(join(root, 'compose.yml'), 'utf8'), { merge: true })
  const controllerPort = await freePort()
  port = await freePort()
  const properties = propertiesOf(compose.services.kafka.environment)
  // Where it stands is all that differs.
  properties.set('listeners', `BROKER://127.0.0.1:${port},CONTROLLER://127.0.0.1:${controllerPort}`)
  properties.set('advertised.listeners', `BROKER://127.0.0.1:${port}`)
  properties.set('controller.quorum.voters', `1@127.0.0.1:${controllerPort}`)
  properties.set('log.dirs', join(folder, 'log'))
  const config = join(folder, 'server.properties')
  writeFileSync(config, [...properties].map(([name, value]) => `${name}=${value}\n`).join(''), { mode: 0o600 })
  const java = ['-Xmx384m', '-XX:TieredStopAtLevel=1', '-cp', join(await installKafka(), 'libs', '*')]
  const format = ['kafka.tools.StorageTool', 'format', '--cluster-id', 'bWlsbHJhY2Uta2Fma2EtMQ', '--config', config]
  await runTool('java', [...java, ...format], { purpose: 'to run Kafka' })
  const spec = {
    ...{ name: 'kafka', command: 'java', args: [...java, 'kafka.Kafka', config], address: `127.0.0.1:${port}` },
    healthy: () => topicsSeenBy('admin', secrets.KAFKA_ADMIN_PASSWORD).then(() => true),
    ...{ startTimeoutMs: 300_000, stopTimeoutMs: 20_000 },
  }
  server = await startServer(spec, join(folder, 'kafka.log'))
}, 600_000)

afterAll(async () => {
  await server?.stop()
  rmSync(folder, { recursive: true, force: true })
})

async function topicsSeenBy(username: string, password = ''): Promise<string[]> {
  const sasl = { mechanism: 'plain' as const, username, password }
  const kafka = new Kafka({ brokers: [`127.0.0.1:${port}`], sasl, retry: { retries: 0 }, logLevel: logLevel.NOTHING })
  const admin = kafka.admin()
  await admin.connect()
  try {
    return await admin.listTopics()
  } finally {
    await admin.disconnect()
  }
}

test('Kafka starts on what compose gives it, and knows its accounts', async () => {
  const sasl = { mechanism: 'plain' as const, username: 'admin', password: secrets.KAFKA_ADMIN_PASSWORD ?? '' }
  await prepareKafka({ brokers: [`127.0.0.1:${port}`], sasl }, testLogger)
  for (const service of ['iam', 'scheduler', 'worker', 'artifact']) {
    const password = secrets[`${service.toUpperCase()}_KAFKA_PASSWORD`]
    expect([service, await topicsSeenBy(service, password)]).toEqual([service, expect.arrayContaining(['task.failed'])])
  }
  await expect(topicsSeenBy('scheduler', secrets.WORKER_KAFKA_PASSWORD)).rejects.toThrow()
})

test('the scripts of the accounts can be read', () => {
  expect(spawnSync('sh', ['-n', join(root, 'infra/docker/minio-accounts.sh')]).status).toBe(0)
  expect(spawnSync(process.execPath, ['--check', join(root, 'infra/docker/mongo-accounts.js')]).status).toBe(0)
})
