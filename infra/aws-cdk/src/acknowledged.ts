import { type Stack, Validations } from 'aws-cdk-lib'

interface Acknowledged {
  /** End of the path of the constructs it is for. */
  at: RegExp
  ids: string[]
  reason: string
}

/** cdk-nag names each finding of this rule by what it found, with the names of the template. */
const wildcard = (resource: string): string => `AwsSolutions-IAM5[Resource::${resource}]`
const basicExecution =
  'AwsSolutions-IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/service-role/AWSLambdaBasicExecutionRole]'

const ofProvider = [
  '*',
  '<SetuponEventE1B1ED9C.Arn>:*',
  '<SetupisComplete896A45E3.Arn>:*',
  '<SetupProviderframeworkisCompleteE31B7EC9.Arn>:*',
  '<SetupProviderframeworkonTimeout0A90966D.Arn>:*',
]

const everywhere: Acknowledged[] = [
  {
    at: /^Database\/Postgres$/,
    ids: ['AwsSolutions-RDS11'],
    reason: 'Another port hides nothing: the security group admits the services that store, and nobody else.',
  },
  {
    at: /^Documents\/Cluster$/,
    ids: ['AwsSolutions-DOC2', 'AwsSolutions-DOC3'],
    reason: 'Port: as for PostgreSQL. The password stands in Secrets Manager; the name of the account is not a secret.',
  },
  {
    at: /^Documents\/Cluster$/,
    ids: ['authenticate', 'createIndex', 'dropCollection'].map((name) => `AwsSolutions-DOC5[LogExport::${name}]`),
    reason: 'These are events of the log `audit`, which is exported; DocumentDB knows no exports of these names.',
  },
  { at: /^Gateway\/Front$/, ids: ['AwsSolutions-EC23'], reason: 'The gateway is public: TLS alone, on two ports.' },
  {
    at: /^(Services|Setup)\/Task/,
    ids: ['AwsSolutions-ECS2'],
    reason: 'Addresses and limits. What is secret comes from Secrets Manager, which a test checks by name.',
  },
  {
    at: /^(Database|Documents|Kafka)\//,
    ids: ['AwsSolutions-SMG4'],
    reason: 'A password is in use at the server and in a URL at once; both change by a deployment: docs/guides/aws.md.',
  },
  {
    at: /ExecutionRole$/,
    ids: [wildcard('*')],
    reason: 'ecr:GetAuthorizationToken knows no narrower resource.',
  },
  {
    at: /^Services\/Task-artifact\/TaskRole$/,
    ids: [wildcard('<ArtifactsBucket88671897.Arn>/*')],
    reason: 'Every object of the one bucket.',
  },
  {
    at: /^Services\/Task-scheduler\/TaskRole$/,
    ids: [wildcard('<Logs6819BB44.Arn>:log-stream:*')],
    reason: 'Every stream of the one log group: the collector makes one for each task.',
  },
  {
    at: /^Setup\/isComplete$/,
    ids: [wildcard('*')],
    reason: 'A task has no name before it runs; a condition holds it to the cluster.',
  },
  {
    at: /^Setup\/(onEvent|isComplete)$/,
    ids: [basicExecution],
    reason: 'Writing its log.',
  },
  {
    at: /^(Setup\/Provider|LogRetention\w+|AWS679f53fac002430cb0da5b7982bd2287)$/,
    ids: [basicExecution, ...ofProvider.map(wildcard), 'AwsSolutions-SF1', 'AwsSolutions-SF2'],
    reason: 'Made by the CDK itself, which gives no say in it.',
  },
  {
    at: /^Backups\/Plan$/,
    ids: [
      'AwsSolutions-IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/service-role/AWSBackupServiceRolePolicyForBackup]',
    ],
    reason: 'AWS Backup’s own policy follows what AWS Backup needs.',
  },
]

const inDev: Acknowledged[] = [
  {
    at: /^(Database\/Postgres|Documents\/Cluster)$/,
    ids: ['AwsSolutions-RDS3', 'AwsSolutions-RDS10'],
    reason: 'A stack of a branch is small and may be deleted.',
  },
]

/** What cdk-nag finds and is meant to be so; any other finding fails the synthesis. */
export function acknowledge(stack: Stack, size: 'dev' | 'prod'): void {
  const all = size === 'dev' ? [...everywhere, ...inDev] : everywhere
  for (const construct of stack.node.findAll()) {
    const path = construct.node.path.slice(stack.node.path.length + 1)
    for (const { at, ids, reason } of all) {
      if (!at.test(path)) continue
      for (const id of ids) Validations.of(construct).acknowledge({ id, reason })
    }
  }
}
