import { RemovalPolicy } from 'aws-cdk-lib'
import { SubnetType } from 'aws-cdk-lib/aws-ec2'
import { PolicyStatement } from 'aws-cdk-lib/aws-iam'
import type { Key } from 'aws-cdk-lib/aws-kms'
import { LogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs'
import { CfnBatchScramSecret, CfnCluster, CfnConfiguration } from 'aws-cdk-lib/aws-msk'
import type { Secret } from 'aws-cdk-lib/aws-secretsmanager'
import { AwsCustomResource, AwsCustomResourcePolicy, PhysicalResourceId } from 'aws-cdk-lib/custom-resources'
import { Construct } from 'constructs'
import { accountSecret } from './accounts.js'
import type { Network } from './network.js'
import { type Size, serviceNames } from './size.js'

/** Managed Kafka, in version 4 as on the stack, with an account for each service; rights and topics are made by setup. */
export class Kafka extends Construct {
  readonly brokers: string
  readonly clusterName: string
  /** By service; setup's is the administrator. */
  readonly accounts = new Map<string, Secret>()
  readonly ready: Construct

  constructor(scope: Construct, id: string, name: string, network: Network, size: Size, key: Key) {
    super(scope, id)
    this.clusterName = name
    const cluster = this.cluster(network, size, key)
    for (const service of ['setup', ...serviceNames]) {
      const user = service === 'setup' ? 'admin' : service
      // MSK takes accounts from secrets with this prefix alone, under a key of one's own.
      this.accounts.set(service, accountSecret(this, `Account-${service}`, user, key, `AmazonMSK_${name}_${user}`))
    }
    const secretArnList = [...this.accounts.values()].map(({ secretArn }) => secretArn)
    this.ready = new CfnBatchScramSecret(this, 'Accounts', { clusterArn: cluster.ref, secretArnList })
    this.brokers = this.bootstrapBrokers(cluster)
  }

  private cluster(network: Network, size: Size, key: Key): CfnCluster {
    const { instance, brokers, storageGiB } = size.kafka
    const logs = new LogGroup(this, 'Logs', {
      retention: RetentionDays.ONE_MONTH,
      removalPolicy: RemovalPolicy.DESTROY,
    })
    const configuration = new CfnConfiguration(this, 'Configuration', {
      name: this.clusterName,
      serverProperties: [
        'auto.create.topics.enable=false',
        `default.replication.factor=${brokers}`,
        `min.insync.replicas=${brokers - 1}`,
        `offsets.topic.replication.factor=${brokers}`,
        // An output of 8 MiB, escaped as JSON within JSON: infra/kafka/topics.yaml.
        'message.max.bytes=67108864',
        'replica.fetch.max.bytes=67108864',
      ].join('\n'),
    })
    return new CfnCluster(this, 'Cluster', {
      clusterName: this.clusterName,
      kafkaVersion: '4.1.x.kraft',
      numberOfBrokerNodes: brokers,
      configurationInfo: { arn: configuration.attrArn, revision: configuration.attrLatestRevisionRevision },
      brokerNodeGroupInfo: {
        instanceType: instance,
        clientSubnets: network.vpc
          .selectSubnets({ subnetType: SubnetType.PRIVATE_ISOLATED })
          .subnetIds.slice(0, brokers),
        securityGroups: [network.groups.kafka.securityGroupId],
        storageInfo: { ebsStorageInfo: { volumeSize: storageGiB } },
      },
      clientAuthentication: { sasl: { scram: { enabled: true } }, unauthenticated: { enabled: false } },
      encryptionInfo: {
        encryptionAtRest: { dataVolumeKmsKeyId: key.keyArn },
        encryptionInTransit: { clientBroker: 'TLS', inCluster: true },
      },
      enhancedMonitoring: 'PER_TOPIC_PER_BROKER',
      loggingInfo: { brokerLogs: { cloudWatchLogs: { enabled: true, logGroup: logs.logGroupName } } },
    })
  }

  /** CloudFormation does not return them. */
  private bootstrapBrokers(cluster: CfnCluster): string {
    const call = {
      service: 'Kafka',
      action: 'getBootstrapBrokers',
      parameters: { ClusterArn: cluster.ref },
      physicalResourceId: PhysicalResourceId.of('bootstrap-brokers'),
    }
    const resource = new AwsCustomResource(this, 'Brokers', {
      onUpdate: call,
      installLatestAwsSdk: false,
      logGroup: new LogGroup(this, 'BrokersLogs', { retention: RetentionDays.ONE_MONTH }),
      policy: AwsCustomResourcePolicy.fromStatements([
        new PolicyStatement({ actions: ['kafka:GetBootstrapBrokers'], resources: [cluster.ref] }),
      ]),
    })
    return resource.getResponseField('BootstrapBrokerStringSaslScram')
  }
}
