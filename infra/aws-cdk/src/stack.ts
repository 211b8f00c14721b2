import { RemovalPolicy, Stack, type StackProps, Tags } from 'aws-cdk-lib'
import * as ecs from 'aws-cdk-lib/aws-ecs'
import { ServicePrincipal } from 'aws-cdk-lib/aws-iam'
import { Key } from 'aws-cdk-lib/aws-kms'
import { LogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs'
import type { Construct } from 'constructs'
import { Alarms } from './alarms.js'
import { Artifacts } from './artifacts.js'
import { Backups } from './backups.js'
import { Containers, type Images } from './containers.js'
import { Database } from './database.js'
import { Documents } from './documents.js'
import { Gateway } from './gateway.js'
import { Kafka } from './kafka.js'
import { Network } from './network.js'
import { Services } from './services.js'
import { Setup } from './setup.js'
import { sizes } from './size.js'

export interface MillraceStackProps extends StackProps {
  /** Everything of the stack is named by it, so that stacks of two branches share nothing. */
  branch: string
  size: keyof typeof sizes
  publicUrl: string
  certificateArn: string
  images: Images
  alarmEmail?: string
}

export class MillraceStack extends Stack {
  constructor(scope: Construct, id: string, props: MillraceStackProps) {
    super(scope, id, props)
    const size = sizes[props.size]
    const name = `millrace-${props.branch}`
    const key = new Key(this, 'Key', {
      description: `What Millrace keeps on ${props.branch}`,
      enableKeyRotation: true,
      removalPolicy: size.keepsData ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY,
    })
    for (const service of ['cloudwatch', 'backup'])
      key.grantEncryptDecrypt(new ServicePrincipal(`${service}.amazonaws.com`))
    const network = new Network(this, 'Network', name, size)
    const database = new Database(this, 'Database', network, size, key)
    const documents = new Documents(this, 'Documents', network, size, key)
    const kafka = new Kafka(this, 'Kafka', name, network, size, key)
    const artifacts = new Artifacts(this, 'Artifacts', size, key)
    const around = {
      zone: `${name}.internal`,
      publicUrl: props.publicUrl,
      brokers: kafka.brokers,
      bucket: artifacts.bucket.bucketName,
      region: this.region,
    }
    const cluster = new ecs.Cluster(this, 'Cluster', {
      vpc: network.vpc,
      containerInsightsV2: ecs.ContainerInsights.ENABLED,
    })
    const logs = new LogGroup(this, 'Logs', {
      retention: RetentionDays.ONE_MONTH,
      removalPolicy: RemovalPolicy.DESTROY,
    })
    const containers = new Containers(
      this,
      'Containers',
      props.branch,
      props.images,
      { database, kafka, documents },
      logs,
    )
    const setup = new Setup(this, 'Setup', cluster, network, containers, around)
    setup.done.node.addDependency(database.instance, kafka.ready)
    const metricsNamespace = `Millrace/${props.branch}`
    const services = new Services(this, 'Services', cluster, network, containers, around, size, metricsNamespace)
    for (const service of Object.values(services.all)) service.node.addDependency(setup.done)
    artifacts.allow(services.all.artifact.taskDefinition.taskRole)
    const gateway = new Gateway(
      ...([this, 'Gateway', cluster, network, containers, size.shares.envoy, props.certificateArn] as const),
      artifacts.logs,
    )
    const watched = { database, kafka, documents, services, gateway, metricsNamespace, size }
    new Alarms(this, 'Alarms', props.alarmEmail, key, watched)
    new Backups(this, 'Backups', size, key, { database, documents, artifacts })
    Tags.of(this).add('millrace:branch', props.branch)
  }
}
