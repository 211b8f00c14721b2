import { Duration } from 'aws-cdk-lib'
import { Repository } from 'aws-cdk-lib/aws-ecr'
import * as ecs from 'aws-cdk-lib/aws-ecs'
import type { LogGroup } from 'aws-cdk-lib/aws-logs'
import { type ISecret, Secret } from 'aws-cdk-lib/aws-secretsmanager'
import { Construct } from 'constructs'
import type { Database } from './database.js'
import type { Documents } from './documents.js'
import type { Kafka } from './kafka.js'
import type { SecretPlace, Settings } from './settings.js'

export interface Images {
  /** `<repository>-<service>` in this account's registry. */
  repository: string
  tag: string
}

/** Where containers get their images and secrets from: a service's own secrets and no other's. */
export class Containers extends Construct {
  constructor(
    scope: Construct,
    id: string,
    private readonly branch: string,
    private readonly images: Images,
    private readonly servers: { database: Database; kafka: Kafka; documents: Documents },
    readonly logs: LogGroup,
  ) {
    super(scope, id)
  }

  imageOf(service: string): ecs.ContainerImage {
    const repository = Repository.fromRepositoryName(this, `Image-${service}`, `${this.images.repository}-${service}`)
    return ecs.ContainerImage.fromEcrRepository(repository, this.images.tag)
  }

  /** One container with a file system that it cannot write, except for /tmp. */
  add(task: ecs.FargateTaskDefinition, service: string, settings: Settings): ecs.ContainerDefinition {
    task.addVolume({ name: 'tmp' })
    const container = task.addContainer(service, {
      image: this.imageOf(service),
      environment: settings.plain,
      secrets: this.secretsOf(service, settings),
      user: '1000:1000',
      readonlyRootFilesystem: true,
      linuxParameters: this.noCapabilities(service),
      // Beyond what each needs to end its calls, streams and tasks.
      stopTimeout: Duration.seconds(service === 'worker' ? 90 : 45),
      logging: ecs.LogDrivers.awsLogs({
        streamPrefix: service,
        logGroup: this.logs,
        mode: ecs.AwsLogDriverMode.NON_BLOCKING,
      }),
    })
    container.addMountPoints({ sourceVolume: 'tmp', containerPath: '/tmp', readOnly: false })
    return container
  }

  noCapabilities(service: string): ecs.LinuxParameters {
    const parameters = new ecs.LinuxParameters(this, `Linux-${service}`, { initProcessEnabled: true })
    parameters.dropCapabilities(ecs.Capability.ALL)
    return parameters
  }

  private secretsOf(service: string, settings: Settings): Record<string, ecs.Secret> {
    const keys = this.keysOf(service)
    const places = Object.entries(settings.secret)
    return Object.fromEntries(places.map(([name, place]) => [name, this.secretAt(name, place, service, keys)]))
  }

  private keysOf(service: string): ISecret | undefined {
    if (service === 'setup') return undefined
    return Secret.fromSecretNameV2(this, `Keys-${service}`, `millrace/${this.branch}/${service}`)
  }

  private secretAt(name: string, place: SecretPlace, service: string, keys: ISecret | undefined): ecs.Secret {
    const { database, kafka, documents } = this.servers
    switch (place.from) {
      case 'keys':
        return ecs.Secret.fromSecretsManager(found(keys, name), name)
      case 'kafka':
        return ecs.Secret.fromSecretsManager(found(kafka.accounts.get(service), name), place.field)
      case 'database-url':
        return ecs.Secret.fromSecretsManager(found(database.urls.get(service), name))
      case 'database-password':
        return ecs.Secret.fromSecretsManager(found(database.passwords.get(place.of), name))
      case 'mongo-url':
        return ecs.Secret.fromSecretsManager(documents.url)
    }
  }
}

function found<T>(value: T | undefined, name: string): T {
  if (value === undefined) throw new Error(`${name} has no secret`)
  return value
}
