import { fileURLToPath } from 'node:url'
import { CustomResource, Duration } from 'aws-cdk-lib'
import { SubnetType } from 'aws-cdk-lib/aws-ec2'
import * as ecs from 'aws-cdk-lib/aws-ecs'
import { PolicyStatement } from 'aws-cdk-lib/aws-iam'
import { Code, Function as Lambda, Runtime } from 'aws-cdk-lib/aws-lambda'
import { LogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs'
import { Provider } from 'aws-cdk-lib/custom-resources'
import { Construct } from 'constructs'
import type { Containers } from './containers.js'
import type { Network } from './network.js'
import { type Surroundings, settingsOf } from './settings.js'

const handler = fileURLToPath(new URL('../handler', import.meta.url))

/** Accounts and rights at the servers, before any service starts; nobody else is given an administrator's password. */
export class Setup extends Construct {
  readonly task: ecs.FargateTaskDefinition
  readonly done: CustomResource

  constructor(
    scope: Construct,
    id: string,
    cluster: ecs.Cluster,
    network: Network,
    containers: Containers,
    around: Surroundings,
  ) {
    super(scope, id)
    this.task = new ecs.FargateTaskDefinition(this, 'Task', { cpu: 256, memoryLimitMiB: 512 })
    containers.add(this.task, 'setup', settingsOf('setup', around))
    const onEventHandler = this.lambda('onEvent')
    const isCompleteHandler = this.lambda('isComplete')
    this.allow(cluster, onEventHandler, isCompleteHandler)
    const provider = new Provider(this, 'Provider', {
      onEventHandler,
      isCompleteHandler,
      queryInterval: Duration.seconds(10),
      totalTimeout: Duration.minutes(15),
    })
    this.done = new CustomResource(this, 'Done', {
      serviceToken: provider.serviceToken,
      properties: {
        cluster: cluster.clusterArn,
        taskDefinition: this.task.taskDefinitionArn,
        subnets: network.vpc.selectSubnets({ subnetType: SubnetType.PRIVATE_WITH_EGRESS }).subnetIds,
        securityGroups: [network.groups.setup.securityGroupId],
      },
    })
  }

  private lambda(name: string): Lambda {
    return new Lambda(this, name, {
      runtime: Runtime.NODEJS_24_X,
      code: Code.fromAsset(handler),
      handler: `index.${name}`,
      timeout: Duration.minutes(1),
      logGroup: new LogGroup(this, `Logs-${name}`, { retention: RetentionDays.ONE_MONTH }),
    })
  }

  private allow(cluster: ecs.Cluster, start: Lambda, watch: Lambda): void {
    const conditions = { ArnEquals: { 'ecs:cluster': cluster.clusterArn } }
    const { taskDefinitionArn, taskRole } = this.task
    const run = new PolicyStatement({ actions: ['ecs:RunTask'], resources: [taskDefinitionArn], conditions })
    start.addToRolePolicy(run)
    taskRole.grantPassRole(start.grantPrincipal)
    this.task.obtainExecutionRole().grantPassRole(start.grantPrincipal)
    watch.addToRolePolicy(new PolicyStatement({ actions: ['ecs:DescribeTasks'], resources: ['*'], conditions }))
  }
}
