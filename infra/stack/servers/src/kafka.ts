import { access, chmod, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Kafka, logLevel } from 'kafkajs'
import { cached } from './cached.js'
import { accountProperties, type KafkaAccounts, kafkaAdmin, prepareKafkaAccounts } from './kafka-accounts.js'
import { runTool } from './run-tool.js'
import type { ServerSpec } from './server-spec.js'

const version = '4.1.0'
const loggingVersion = '2.24.3'
const copyDependencies = 'org.apache.maven.plugins:maven-dependency-plugin:3.6.1:copy-dependencies'
// Of one node that never meets another: any 16 bytes do.
const clusterId = 'bWlsbHJhY2Uta2Fma2EtMQ'

export interface KafkaOptions {
  /** Kept: with the same directory and ports the broker goes on where it stopped. */
  directory: string
  port: number
  controllerPort: number
  heapMb?: number
  /** Without them everybody may do everything: for tests alone. */
  accounts?: KafkaAccounts
}

const dependency = (group: string, artifact: string, pinned: string) =>
  `<dependency><groupId>${group}</groupId><artifactId>${artifact}</artifactId><version>${pinned}</version></dependency>`

const pom = `<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion><groupId>millrace</groupId><artifactId>kafka</artifactId><version>1</version>
  <packaging>pom</packaging>
  <dependencies>
    ${dependency('org.apache.kafka', 'kafka_2.13', version)}
    ${dependency('org.apache.kafka', 'kafka-tools', version)}
    ${dependency('org.apache.logging.log4j', 'log4j-slf4j-impl', loggingVersion)}
  </dependencies>
</project>
`

const logging = `status=error
appender.out.type=Console
appender.out.name=out
appender.out.layout.type=PatternLayout
appender.out.layout.pattern=%d %p %c: %m%n
rootLogger.level=warn
rootLogger.appenderRef.out.ref=out
logger.server.name=kafka.server.KafkaRaftServer
logger.server.level=info
`

/** Jars from Maven, about 54 MB, in half a minute. */
export async function installKafka(): Promise<string> {
  return await cached(`kafka-${version}`, async (draft) => {
    await writeFile(join(draft, 'pom.xml'), pom)
    await writeFile(join(draft, 'log4j2.properties'), logging)
    await runTool('mvn', ['-q', '-B', copyDependencies, `-DoutputDirectory=${join(draft, 'libs')}`], {
      cwd: draft,
      purpose: 'to fetch Kafka, the event broker of the stack',
    })
  })
}

function properties({ port, controllerPort, directory, accounts }: KafkaOptions): string {
  const protocol = accounts === undefined ? 'PLAINTEXT' : 'SASL_PLAINTEXT'
  return `process.roles=broker,controller
node.id=1
controller.quorum.voters=1@127.0.0.1:${controllerPort}
listeners=BROKER://127.0.0.1:${port},CONTROLLER://127.0.0.1:${controllerPort}
advertised.listeners=BROKER://127.0.0.1:${port}
listener.security.protocol.map=BROKER:${protocol},CONTROLLER:${protocol}
controller.listener.names=CONTROLLER
inter.broker.listener.name=BROKER
${accounts === undefined ? '' : accountProperties(accounts)}log.dirs=${join(directory, 'log')}
auto.create.topics.enable=false
offsets.topic.replication.factor=1
offsets.topic.num.partitions=4
transaction.state.log.replication.factor=1
transaction.state.log.min.isr=1
share.coordinator.state.topic.replication.factor=1
share.coordinator.state.topic.min.isr=1
# A group forms at once: on one machine nobody else is about to join.
group.initial.rebalance.delay.ms=0
# An output of 8 MiB, escaped as JSON within JSON.
message.max.bytes=67108864
replica.fetch.max.bytes=67108864
num.network.threads=2
num.io.threads=4
background.threads=2
log.cleaner.threads=1
log.cleaner.dedupe.buffer.size=16777216
`
}

/** One node that is broker and controller (KRaft). Its storage is formatted the first time. */
export async function kafkaSpec(options: KafkaOptions): Promise<ServerSpec> {
  const { directory, port, heapMb = 384, accounts } = options
  const folder = await installKafka()
  await mkdir(directory, { recursive: true, mode: 0o700 })
  const config = join(directory, 'server.properties')
  await writeFile(config, properties(options), { mode: 0o600 })
  await chmod(config, 0o600)
  const java = [
    `-Xmx${heapMb}m`,
    '-XX:+UseSerialGC',
    // Ready in half the time, and fast enough for one machine.
    '-XX:TieredStopAtLevel=1',
    `-Dlog4j2.configurationFile=${join(folder, 'log4j2.properties')}`,
    ...['-cp', classPathOf(folder)],
  ]
  if (!(await exists(join(directory, 'log', 'meta.properties')))) {
    const format = ['format', '--cluster-id', clusterId, '--config', config, '--ignore-formatted']
    await runTool('java', [...java, 'kafka.tools.StorageTool', ...format], { purpose: 'to run Kafka' })
  }
  const address = `127.0.0.1:${port}`
  return {
    name: 'kafka',
    command: 'java',
    args: [...java, 'kafka.Kafka', config],
    env: { PATH: process.env.PATH, JAVA_HOME: process.env.JAVA_HOME, HOME: directory },
    address,
    healthy: () => serves(address, accounts),
    // Ten seconds with a core of its own; on a machine that is overloaded a start given up begins again from nothing.
    startTimeoutMs: 300_000,
    stopTimeoutMs: 20_000,
  }
}

/** Once the broker runs, and before anybody but its administrator logs in. */
export async function makeKafkaAccounts({ directory, port, accounts }: KafkaOptions): Promise<void> {
  if (accounts === undefined) return
  const classPath = classPathOf(await installKafka())
  await prepareKafkaAccounts({ directory, address: `127.0.0.1:${port}`, classPath }, accounts)
}

const classPathOf = (folder: string): string => join(folder, 'libs', '*')

/** The port accepts before the broker is registered; only then does the cluster name it. */
async function serves(address: string, accounts: KafkaAccounts | undefined): Promise<boolean> {
  const sasl = accounts === undefined ? {} : { sasl: kafkaAdmin(accounts.adminPassword) }
  const quick = { retry: { retries: 0 }, connectionTimeout: 2_000, logLevel: logLevel.NOTHING }
  const admin = new Kafka({ brokers: [address], ...quick, ...sasl }).admin()
  try {
    await admin.connect()
    return (await admin.describeCluster()).brokers.length > 0
  } finally {
    await admin.disconnect().catch(() => undefined)
  }
}

const exists = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  )
