import { access, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Kafka, logLevel } from 'kafkajs'
import { cached } from './cached.js'
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

const properties = ({ port, controllerPort, directory }: KafkaOptions) => `process.roles=broker,controller
node.id=1
controller.quorum.voters=1@127.0.0.1:${controllerPort}
listeners=PLAINTEXT://127.0.0.1:${port},CONTROLLER://127.0.0.1:${controllerPort}
advertised.listeners=PLAINTEXT://127.0.0.1:${port}
controller.listener.names=CONTROLLER
inter.broker.listener.name=PLAINTEXT
log.dirs=${join(directory, 'log')}
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

/** One node that is broker and controller (KRaft). Its storage is formatted the first time. */
export async function kafkaSpec(options: KafkaOptions): Promise<ServerSpec> {
  const { directory, port, heapMb = 384 } = options
  const folder = await installKafka()
  await mkdir(directory, { recursive: true, mode: 0o700 })
  const config = join(directory, 'server.properties')
  await writeFile(config, properties(options))
  const java = [
    `-Xmx${heapMb}m`,
    '-XX:+UseSerialGC',
    // Ready in half the time, and fast enough for one machine.
    '-XX:TieredStopAtLevel=1',
    `-Dlog4j2.configurationFile=${join(folder, 'log4j2.properties')}`,
    ...['-cp', join(folder, 'libs', '*')],
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
    healthy: () => serves(address),
    // Ten seconds with a core of its own; on a machine that is overloaded a start given up begins again from nothing.
    startTimeoutMs: 300_000,
    stopTimeoutMs: 20_000,
  }
}

/** The port accepts before the broker is registered; only then does the cluster name it. */
async function serves(address: string): Promise<boolean> {
  const retry = { retries: 0 }
  const admin = new Kafka({ brokers: [address], retry, connectionTimeout: 2_000, logLevel: logLevel.NOTHING }).admin()
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
