import { ArnFormat, Duration, RemovalPolicy } from 'aws-cdk-lib'
import { BackupPlan, BackupPlanRule, BackupResource, BackupVault } from 'aws-cdk-lib/aws-backup'
import { Schedule } from 'aws-cdk-lib/aws-events'
import type { IKey } from 'aws-cdk-lib/aws-kms'
import { Construct } from 'constructs'
import type { Artifacts } from './artifacts.js'
import type { Database } from './database.js'
import type { Documents } from './documents.js'
import type { Size } from './size.js'

/** A day's copy of everything that is kept, in one vault, beside the point-in-time backups of the databases themselves. */
export class Backups extends Construct {
  constructor(
    scope: Construct,
    id: string,
    size: Size,
    key: IKey,
    kept: { database: Database; documents: Documents; artifacts: Artifacts },
  ) {
    super(scope, id)
    const removalPolicy = size.keepsData ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY
    const vault = new BackupVault(this, 'Vault', { encryptionKey: key, removalPolicy })
    const plan = new BackupPlan(this, 'Plan', {
      backupVault: vault,
      backupPlanRules: [
        new BackupPlanRule({
          ruleName: 'daily',
          scheduleExpression: Schedule.cron({ hour: '3', minute: '0' }),
          deleteAfter: Duration.days(size.backupDays),
        }),
      ],
    })
    plan.addSelection('Everything', {
      resources: [
        BackupResource.fromRdsDatabaseInstance(kept.database.instance),
        BackupResource.fromArn(
          kept.documents.cluster.stack.formatArn({
            service: 'rds',
            resource: 'cluster',
            resourceName: kept.documents.cluster.clusterIdentifier,
            arnFormat: ArnFormat.COLON_RESOURCE_NAME,
          }),
        ),
        BackupResource.fromArn(kept.artifacts.bucket.bucketArn),
      ],
    })
  }
}
