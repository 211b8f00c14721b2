import * as ec2 from 'aws-cdk-lib/aws-ec2'
import { PrivateDnsNamespace } from 'aws-cdk-lib/aws-servicediscovery'
import { Construct } from 'constructs'
import { type ServiceName, type Size, serviceNames } from './size.js'

export type Component = ServiceName | 'envoy' | 'setup'

/** HTTP first; as compose, the chart and Envoy know them. */
export const portsOf: Record<ServiceName, readonly number[]> = {
  iam: [8081, 9081],
  workflow: [8082, 9082],
  metadata: [8083, 7072],
  notification: [8084],
  artifact: [8085],
  scheduler: [8086, 9086, 7071],
  worker: [8087, 9087],
}

/** Workers run users' work and reach what they need alone. */
const openToWorkers: Partial<Record<ServiceName, number>> = {
  scheduler: 7071,
  metadata: 7072,
  artifact: 8085,
  iam: 9081,
}

const servers = {
  postgres: { port: 5432, from: ['setup', 'iam', 'workflow', 'scheduler', 'metadata', 'notification', 'artifact'] },
  kafka: { port: 9096, from: ['setup', ...serviceNames] },
  documents: { port: 27017, from: ['metadata'] },
} as const

export type ServerName = keyof typeof servers

/** A VPC of its own, names of the services, and who may reach whom: nothing that is not said here. */
export class Network extends Construct {
  readonly vpc: ec2.Vpc
  readonly zone: PrivateDnsNamespace
  readonly groups: Record<Component | ServerName, ec2.SecurityGroup>

  constructor(scope: Construct, id: string, name: string, size: Size) {
    super(scope, id)
    this.vpc = new ec2.Vpc(this, 'Vpc', {
      maxAzs: size.zones,
      natGateways: size.natGateways,
      subnetConfiguration: [
        { name: 'public', subnetType: ec2.SubnetType.PUBLIC, cidrMask: 24 },
        { name: 'services', subnetType: ec2.SubnetType.PRIVATE_WITH_EGRESS, cidrMask: 22 },
        { name: 'servers', subnetType: ec2.SubnetType.PRIVATE_ISOLATED, cidrMask: 24 },
      ],
      flowLogs: { rejected: { trafficType: ec2.FlowLogTrafficType.REJECT } },
      gatewayEndpoints: { s3: { service: ec2.GatewayVpcEndpointAwsService.S3 } },
    })
    this.zone = new PrivateDnsNamespace(this, 'Zone', { name: `${name}.internal`, vpc: this.vpc })
    const names = [...serviceNames, 'envoy', 'setup', 'postgres', 'kafka', 'documents'] as const
    this.groups = Object.fromEntries(names.map((of) => [of, this.group(of)])) as typeof this.groups
    this.allowServers()
    this.allowServices()
  }

  private group(of: Component | ServerName): ec2.SecurityGroup {
    const isServer = of in servers
    return new ec2.SecurityGroup(this, `Group-${of}`, {
      vpc: this.vpc,
      description: `Millrace ${of}`,
      allowAllOutbound: !isServer,
    })
  }

  private allowServers(): void {
    for (const [server, { port, from }] of Object.entries(servers)) {
      for (const caller of from) {
        const target = this.groups[server as ServerName]
        target.addIngressRule(this.groups[caller], ec2.Port.tcp(port), `${caller} to ${server}`)
      }
    }
  }

  private allowServices(): void {
    for (const [service, ports] of Object.entries(portsOf) as [ServiceName, readonly number[]][]) {
      for (const caller of [...serviceNames, 'envoy'] as const) {
        for (const port of ports) {
          if (!isOpen(service, caller, port)) continue
          const rule = `${caller} to ${service}`
          this.groups[service].addIngressRule(this.groups[caller], ec2.Port.tcp(port), rule)
        }
      }
    }
  }
}

function isOpen(service: ServiceName, caller: ServiceName | 'envoy', port: number): boolean {
  if (caller === 'worker') return openToWorkers[service] === port
  if (service === 'worker') return caller === 'scheduler' && port === 9087
  return true
}
