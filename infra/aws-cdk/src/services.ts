import { Duration } from 'aws-cdk-lib'
import { AdjustmentType } from 'aws-cdk-lib/aws-applicationautoscaling'
import { Metric, Stats } from 'aws-cdk-lib/aws-cloudwatch'
import * as ecs from 'aws-cdk-lib/aws-ecs'
import { PolicyStatement } from 'aws-cdk-lib/aws-iam'
import { DnsRecordType } from 'aws-cdk-lib/aws-servicediscovery'
import { Construct } from 'constructs'
import type { Containers } from './containers.js'
import { collectorConfig } from './metrics.js'
import { type Network, portsOf } from './network.js'
import { type Surroundings, settingsOf } from './settings.js'
import { type ServiceName, type Share, type Size, serviceNames } from './size.js'

const collectorImage = 'public.ecr.aws/aws-observability/aws-otel-collector:v0.43.3'

/** The seven on Fargate, found by name, scaled by CPU; workers by how long tasks wait. */
export class Services extends Construct {
  readonly all: Record<ServiceName, ecs.FargateService>
  /** Of the queue whose oldest ready task waits longest. */
  readonly queueAge: Metric

  constructor(
    scope: Construct,
    id: string,
    private readonly cluster: ecs.Cluster,
    private readonly network: Network,
    private readonly containers: Containers,
    around: Surroundings,
    size: Size,
    private readonly metricsNamespace: string,
  ) {
    super(scope, id)
    this.queueAge = new Metric({
      namespace: metricsNamespace,
      metricName: 'millrace_scheduler_queue_age_seconds',
      statistic: Stats.MAXIMUM,
      period: Duration.minutes(1),
    })
    const made = serviceNames.map((name) => [name, this.service(name, size.shares[name], around)] as const)
    this.all = Object.fromEntries(made) as typeof this.all
  }

  private service(name: ServiceName, share: Share, around: Surroundings): ecs.FargateService {
    const task = new ecs.FargateTaskDefinition(this, `Task-${name}`, {
      cpu: share.cpu,
      memoryLimitMiB: share.memoryMiB,
    })
    const container = this.containers.add(task, name, settingsOf(name, around))
    container.addPortMappings(...portsOf[name].map((containerPort) => ({ containerPort })))
    if (name === 'scheduler') this.addCollector(task)
    const service = new ecs.FargateService(this, `Service-${name}`, {
      cluster: this.cluster,
      taskDefinition: task,
      desiredCount: share.least,
      securityGroups: [this.network.groups[name]],
      // Old and new work beside each other: never fewer than before.
      minHealthyPercent: 100,
      maxHealthyPercent: 200,
      circuitBreaker: { rollback: true },
      cloudMapOptions: {
        name,
        cloudMapNamespace: this.network.zone,
        dnsRecordType: DnsRecordType.A,
        dnsTtl: Duration.seconds(5),
      },
      propagateTags: ecs.PropagatedTagSource.SERVICE,
    })
    this.scale(name, service, share)
    return service
  }

  private scale(name: ServiceName, service: ecs.FargateService, { least, most }: Share): void {
    const scaling = service.autoScaleTaskCount({ minCapacity: least, maxCapacity: most })
    if (name !== 'worker') {
      scaling.scaleOnCpuUtilization('Cpu', { targetUtilizationPercent: 70, scaleInCooldown: Duration.minutes(5) })
      return
    }
    // A step and not a target: an age says that there are too few, not how many would be right.
    scaling.scaleOnMetric('QueueAge', {
      metric: this.queueAge,
      scalingSteps: [
        { upper: 1, change: -1 },
        { lower: 30, change: +1 },
        { lower: 120, change: +4 },
      ],
      adjustmentType: AdjustmentType.CHANGE_IN_CAPACITY,
      cooldown: Duration.minutes(1),
      evaluationPeriods: 3,
      datapointsToAlarm: 2,
    })
  }

  /** Reads the scheduler's own /metrics and sends what alarms and autoscaling need. */
  private addCollector(task: ecs.FargateTaskDefinition): void {
    task.addContainer('collector', {
      image: ecs.ContainerImage.fromRegistry(collectorImage),
      environment: { AOT_CONFIG_CONTENT: collectorConfig(this.metricsNamespace, this.containers.logs.logGroupName) },
      essential: false,
      readonlyRootFilesystem: true,
      memoryReservationMiB: 64,
      logging: ecs.LogDrivers.awsLogs({ streamPrefix: 'collector', logGroup: this.containers.logs }),
    })
    task.addToTaskRolePolicy(
      new PolicyStatement({
        actions: ['logs:CreateLogStream', 'logs:DescribeLogStreams', 'logs:PutLogEvents'],
        resources: [this.containers.logs.logGroupArn, `${this.containers.logs.logGroupArn}:log-stream:*`],
      }),
    )
  }
}
