import { Duration, Stack } from 'aws-cdk-lib'
import { Certificate } from 'aws-cdk-lib/aws-certificatemanager'
import * as ec2 from 'aws-cdk-lib/aws-ec2'
import * as ecs from 'aws-cdk-lib/aws-ecs'
import * as elb from 'aws-cdk-lib/aws-elasticloadbalancingv2'
import type { Bucket } from 'aws-cdk-lib/aws-s3'
import { Construct } from 'constructs'
import type { Containers } from './containers.js'
import type { Network } from './network.js'
import { type Share, serviceNames } from './size.js'

/** The generated configuration names services as compose does; here they stand in the stack's own zone. */
export const envoyCommand = (zone: string): string[] => [
  '/bin/sh',
  '-c',
  `sed -E 's/^( +address: )(${serviceNames.join('|')})$/\\1\\2.${zone}/' /etc/envoy/millrace.yaml > /tmp/envoy.yaml ` +
    '&& exec envoy -c /tmp/envoy.yaml -l warning --drain-time-s 20 --use-dynamic-base-id',
]

/** TLS ends at a network load balancer, which leaves the client's address as it is: Envoy's limits go by it. */
export class Gateway extends Construct {
  readonly balancer: elb.NetworkLoadBalancer
  readonly service: ecs.FargateService
  readonly targets: elb.NetworkTargetGroup[] = []

  constructor(
    scope: Construct,
    id: string,
    cluster: ecs.Cluster,
    private readonly network: Network,
    containers: Containers,
    share: Share,
    certificateArn: string,
    accessLogs: Bucket,
  ) {
    super(scope, id)
    this.service = this.envoy(cluster, containers, share)
    const front = new ec2.SecurityGroup(this, 'Front', { vpc: network.vpc, description: 'Millrace gateway, public' })
    this.balancer = new elb.NetworkLoadBalancer(this, 'Balancer', {
      vpc: network.vpc,
      internetFacing: true,
      crossZoneEnabled: true,
      securityGroups: [front],
    })
    // An account for logs exists in known regions alone: a stack without one leaves them to who deploys it.
    if (Stack.of(this).region.startsWith('${') === false) this.balancer.logAccessLogs(accessLogs, 'gateway')
    const certificate = Certificate.fromCertificateArn(this, 'Certificate', certificateArn)
    this.listen(front, 443, 8080, elb.AlpnPolicy.HTTP1_ONLY, certificate)
    this.listen(front, 7070, 7070, elb.AlpnPolicy.HTTP2_ONLY, certificate)
  }

  private envoy(cluster: ecs.Cluster, containers: Containers, share: Share): ecs.FargateService {
    const task = new ecs.FargateTaskDefinition(this, 'Task', { cpu: share.cpu, memoryLimitMiB: share.memoryMiB })
    task.addVolume({ name: 'tmp' })
    const container = task.addContainer('envoy', {
      image: containers.imageOf('envoy'),
      entryPoint: [],
      command: envoyCommand(this.network.zone.namespaceName),
      user: '101:101',
      readonlyRootFilesystem: true,
      linuxParameters: containers.noCapabilities('envoy'),
      stopTimeout: Duration.seconds(45),
      portMappings: [{ containerPort: 8080 }, { containerPort: 7070 }],
      logging: ecs.LogDrivers.awsLogs({ streamPrefix: 'envoy', logGroup: containers.logs }),
    })
    container.addMountPoints({ sourceVolume: 'tmp', containerPath: '/tmp', readOnly: false })
    const service = new ecs.FargateService(this, 'Service', {
      cluster,
      taskDefinition: task,
      desiredCount: share.least,
      securityGroups: [this.network.groups.envoy],
      minHealthyPercent: 100,
      maxHealthyPercent: 200,
      circuitBreaker: { rollback: true },
      healthCheckGracePeriod: Duration.minutes(2),
    })
    service
      .autoScaleTaskCount({ minCapacity: share.least, maxCapacity: share.most })
      .scaleOnCpuUtilization('Cpu', { targetUtilizationPercent: 70 })
    return service
  }

  private listen(
    front: ec2.SecurityGroup,
    port: number,
    to: number,
    alpnPolicy: elb.AlpnPolicy,
    certificate: elb.IListenerCertificate,
  ): void {
    front.addIngressRule(ec2.Peer.anyIpv4(), ec2.Port.tcp(port), 'clients and workers')
    // The client's address is kept, so what reaches Envoy comes from anywhere, through the balancer alone.
    this.network.groups.envoy.addIngressRule(front, ec2.Port.tcp(to), 'gateway')
    const listener = this.balancer.addListener(`Listener-${port}`, {
      port,
      protocol: elb.Protocol.TLS,
      sslPolicy: elb.SslPolicy.TLS13_RES,
      alpnPolicy,
      certificates: [certificate],
    })
    const target = listener.addTargets(`Envoy-${port}`, {
      port: to,
      protocol: elb.Protocol.TCP,
      preserveClientIp: true,
      deregistrationDelay: Duration.seconds(30),
      targets: [this.service.loadBalancerTarget({ containerName: 'envoy', containerPort: to })],
      healthCheck: { protocol: elb.Protocol.HTTP, path: '/readyz', port: '8080', interval: Duration.seconds(10) },
    })
    this.targets.push(target)
  }
}
