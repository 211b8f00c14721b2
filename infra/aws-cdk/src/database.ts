import { Duration, RemovalPolicy } from 'aws-cdk-lib'
import { InstanceType, SubnetType } from 'aws-cdk-lib/aws-ec2'
import type { IKey } from 'aws-cdk-lib/aws-kms'
import { RetentionDays } from 'aws-cdk-lib/aws-logs'
import * as rds from 'aws-cdk-lib/aws-rds'
import type { Secret } from 'aws-cdk-lib/aws-secretsmanager'
import { Construct } from 'constructs'
import { passwordSecret, urlSecret } from './accounts.js'
import type { Network } from './network.js'
import { type ServiceName, type Size, serviceNames } from './size.js'

/** PostgreSQL; a role for each service that stores, made by setup, whose account alone is the owner's. */
export class Database extends Construct {
  readonly instance: rds.DatabaseInstance
  readonly passwords = new Map<string, Secret>()
  readonly urls = new Map<string, Secret>()

  constructor(scope: Construct, id: string, network: Network, size: Size, key: IKey) {
    super(scope, id)
    const engine = rds.DatabaseInstanceEngine.postgres({ version: rds.PostgresEngineVersion.VER_18_3 })
    this.instance = new rds.DatabaseInstance(this, 'Postgres', {
      engine,
      vpc: network.vpc,
      vpcSubnets: { subnetType: SubnetType.PRIVATE_ISOLATED },
      securityGroups: [network.groups.postgres],
      instanceType: new InstanceType(size.postgres.instance),
      databaseName: 'millrace',
      credentials: rds.Credentials.fromSecret(
        new rds.DatabaseSecret(this, 'Owner', {
          username: 'millrace',
          encryptionKey: key,
          excludeCharacters: ' %+~`#$&*()|[]{}:;<>?!\'/@"\\=^,.-_',
        }),
      ),
      parameters: { jit: 'off', 'rds.force_ssl': '1', log_min_duration_statement: '1000' },
      multiAz: size.postgres.multiAz,
      allocatedStorage: size.postgres.storageGiB,
      maxAllocatedStorage: size.postgres.maxStorageGiB,
      storageType: rds.StorageType.GP3,
      storageEncrypted: true,
      storageEncryptionKey: key,
      backupRetention: Duration.days(size.backupDays),
      deletionProtection: size.keepsData,
      removalPolicy: size.keepsData ? RemovalPolicy.SNAPSHOT : RemovalPolicy.DESTROY,
      cloudwatchLogsExports: ['postgresql'],
      cloudwatchLogsRetention: RetentionDays.ONE_MONTH,
      enablePerformanceInsights: true,
      performanceInsightEncryptionKey: key,
      autoMinorVersionUpgrade: true,
    })
    for (const service of serviceNames.filter((name) => name !== 'worker')) this.addRole(service, key)
    const owner = this.instance.secret?.secretValueFromJson('password').unsafeUnwrap() ?? ''
    this.urls.set('setup', urlSecret(this, 'Url-setup', key, this.url('millrace', owner)))
  }

  private addRole(service: ServiceName, key: IKey): void {
    const password = passwordSecret(this, `Password-${service}`, key)
    this.passwords.set(service, password)
    const url = this.url(`millrace_${service}`, password.secretValue.unsafeUnwrap())
    this.urls.set(service, urlSecret(this, `Url-${service}`, key, url))
  }

  private url(user: string, password: string): string {
    const { dbInstanceEndpointAddress: host, dbInstanceEndpointPort: port } = this.instance
    return `postgres://${user}:${password}@${host}:${port}/millrace?sslmode=verify-full`
  }
}
