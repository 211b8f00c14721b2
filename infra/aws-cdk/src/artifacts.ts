import { Duration, RemovalPolicy } from 'aws-cdk-lib'
import { type IRole, PolicyStatement } from 'aws-cdk-lib/aws-iam'
import type { IKey } from 'aws-cdk-lib/aws-kms'
import * as s3 from 'aws-cdk-lib/aws-s3'
import { Construct } from 'constructs'
import type { Size } from './size.js'

export class Artifacts extends Construct {
  readonly bucket: s3.Bucket
  readonly logs: s3.Bucket

  constructor(
    scope: Construct,
    id: string,
    size: Size,
    private readonly key: IKey,
  ) {
    super(scope, id)
    const removal = size.keepsData
      ? { removalPolicy: RemovalPolicy.RETAIN }
      : { removalPolicy: RemovalPolicy.DESTROY, autoDeleteObjects: true }
    const closed = { blockPublicAccess: s3.BlockPublicAccess.BLOCK_ALL, enforceSSL: true, ...removal }
    // Access logs are written by AWS with its own key.
    this.logs = new s3.Bucket(this, 'AccessLogs', {
      ...closed,
      encryption: s3.BucketEncryption.S3_MANAGED,
      lifecycleRules: [{ expiration: Duration.days(90) }],
    })
    this.bucket = new s3.Bucket(this, 'Bucket', {
      ...closed,
      encryption: s3.BucketEncryption.KMS,
      encryptionKey: key,
      bucketKeyEnabled: true,
      // Backups need versions; Millrace itself deletes what is past its retention.
      versioned: true,
      lifecycleRules: [
        { noncurrentVersionExpiration: Duration.days(size.backupDays) },
        { abortIncompleteMultipartUploadAfter: Duration.days(7) },
      ],
      serverAccessLogsBucket: this.logs,
      serverAccessLogsPrefix: 'artifacts/',
    })
  }

  /** Never versions: what was deleted can be had back until they expire. */
  allow(role: IRole): void {
    const actions = ['GetObject', 'PutObject', 'DeleteObject', 'AbortMultipartUpload', 'ListMultipartUploadParts']
    const allow = (names: string[], resource: string) =>
      role.addToPrincipalPolicy(new PolicyStatement({ actions: names, resources: [resource] }))
    allow(
      actions.map((name) => `s3:${name}`),
      this.bucket.arnForObjects('*'),
    )
    allow(['s3:ListBucket', 's3:ListBucketMultipartUploads'], this.bucket.bucketArn)
    allow(['kms:Decrypt', 'kms:GenerateDataKey'], this.key.keyArn)
  }
}
