import { Duration, RemovalPolicy } from 'aws-cdk-lib'
import * as docdb from 'aws-cdk-lib/aws-docdb'
import { InstanceType, SubnetType } from 'aws-cdk-lib/aws-ec2'
import type { IKey } from 'aws-cdk-lib/aws-kms'
import { RetentionDays } from 'aws-cdk-lib/aws-logs'
import type { Secret } from 'aws-cdk-lib/aws-secretsmanager'
import { Construct } from 'constructs'
import { urlSecret } from './accounts.js'
import type { Network } from './network.js'
import type { Size } from './size.js'

/** DocumentDB: logs and records of runs. Metadata is its only user, so the cluster's own account is metadata's. */
export class Documents extends Construct {
  readonly cluster: docdb.DatabaseCluster
  readonly url: Secret

  constructor(scope: Construct, id: string, network: Network, size: Size, key: IKey) {
    super(scope, id)
    this.cluster = new docdb.DatabaseCluster(this, 'Cluster', {
      engineVersion: '5.0.0',
      masterUser: { username: 'metadata', excludeCharacters: ' %+~`#$&*()|[]{}:;<>?!\'/@"\\=^,.-_', kmsKey: key },
      instances: size.documents.instances,
      instanceType: new InstanceType(size.documents.instance),
      vpc: network.vpc,
      vpcSubnets: { subnetType: SubnetType.PRIVATE_ISOLATED },
      securityGroup: network.groups.documents,
      storageEncrypted: true,
      kmsKey: key,
      backup: { retention: Duration.days(size.backupDays) },
      exportAuditLogsToCloudWatch: true,
      exportProfilerLogsToCloudWatch: true,
      cloudWatchLogsRetention: RetentionDays.ONE_MONTH,
      parameterGroup: new docdb.ClusterParameterGroup(this, 'Parameters', {
        family: 'docdb5.0',
        parameters: { tls: 'enabled', audit_logs: 'enabled', ttl_monitor: 'enabled' },
      }),
      deletionProtection: size.keepsData,
      removalPolicy: size.keepsData ? RemovalPolicy.SNAPSHOT : RemovalPolicy.DESTROY,
    })
    const password = this.cluster.secret?.secretValueFromJson('password').unsafeUnwrap() ?? ''
    const { hostname, port } = this.cluster.clusterEndpoint
    // DocumentDB refuses retryable writes; its users stand in `admin`.
    const options = 'tls=true&replicaSet=rs0&readPreference=primary&retryWrites=false&authSource=admin'
    this.url = urlSecret(this, 'Url', key, `mongodb://metadata:${password}@${hostname}:${port}/millrace?${options}`)
  }
}
