import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { App } from 'aws-cdk-lib'
import { Template } from 'aws-cdk-lib/assertions'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { readArtifactConfig } from '../../../../services/artifact/src/config.js'
import { readIamConfig } from '../../../../services/iam/src/config.js'
import { readMetadataConfig } from '../../../../services/metadata/src/config.js'
import { readNotificationConfig } from '../../../../services/notification/src/config.js'
import { readSchedulerConfig } from '../../../../services/scheduler/src/config.js'
import { readSetupConfig } from '../../../../services/setup/src/config.js'
import { readWorkerConfig } from '../../../../services/worker/src/config.js'
import { readWorkflowConfig } from '../../../../services/workflow/src/config.js'
import { makeKeys } from '../../make-keys.mjs'
import { createStack } from '../../src/create-stack.js'
import { portsOf } from '../../src/network.js'
import { serviceNames } from '../../src/size.js'

const root = join(import.meta.dirname, '../../../..')
const compose = parse(readFileSync(join(root, 'compose.yml'), 'utf8'), { merge: true })
const context = { branch: 'x', publicUrl: 'https://m.example', certificateArn: 'arn:aws:acm:a:b:c' }
const template = Template.fromStack(createStack(new App({ context })))
const readers = {
  iam: readIamConfig,
  workflow: readWorkflowConfig,
  scheduler: readSchedulerConfig,
  worker: readWorkerConfig,
  metadata: readMetadataConfig,
  notification: readNotificationConfig,
  artifact: readArtifactConfig,
  setup: readSetupConfig,
}
type Named = keyof typeof readers

interface Container {
  Name: string
  Command?: unknown
  EntryPoint?: unknown
  Image: unknown
  Environment: { Name: string; Value: unknown }[]
  Secrets: { Name: string; ValueFrom: unknown }[]
  PortMappings?: { ContainerPort: number }[]
}

function containerOf(service: string): Container {
  for (const { Properties } of Object.values(template.findResources('AWS::ECS::TaskDefinition'))) {
    const found = Properties.ContainerDefinitions.find(({ Name }: Container) => Name === service)
    if (found) return found
  }
  throw new Error(`no container ${service}`)
}

/** A text for everything that CloudFormation would fill in. */
const example = (value: unknown): string =>
  typeof value === 'string' ? value : JSON.stringify(value).includes('Bootstrap') ? 'b-1.example:9096' : 'filled-in'

function environmentOf(service: Named): Record<string, string> {
  const { Environment, Secrets } = containerOf(service)
  const keys = service === 'setup' ? {} : makeKeys('smtps://user:password@smtp.example:465')[service]
  const secret = (name: string): string => {
    if (name === 'DATABASE_URL') return `postgres://${service}:secret@db.example:5432/millrace?sslmode=verify-full`
    if (name === 'MILLRACE_MONGO_URL') return 'mongodb://metadata:secret@docs.example:27017/millrace?tls=true'
    return (keys as Record<string, string>)[name] ?? 'a-password-of-some-length'
  }
  return {
    ...Object.fromEntries(Environment.map(({ Name, Value }) => [Name, example(Value)])),
    ...Object.fromEntries(Secrets.map(({ Name }) => [Name, secret(Name)])),
  }
}

const onlyOnAws = ['NODE_ENV', 'MILLRACE_KAFKA_SSL', 'NODE_EXTRA_CA_CERTS', 'MILLRACE_S3_REGION']
/** Between services there is no TLS on AWS; their network is their own. */
const onlyInCompose =
  /^MILLRACE_(S3_(ENDPOINT|PUBLIC_URL|ACCESS_KEY|SECRET_KEY)|TLS_SERVICE_(CERT|KEY|CA)|SERVICE_PROBE_PORT)$/

describe.each(Object.keys(readers) as Named[])('%s', (service) => {
  const given = containerOf(service)
  const names = [...given.Environment, ...given.Secrets].map(({ Name }) => Name)

  test('starts by the command of its image, with settings that its own reader accepts', () => {
    expect([given.Command, given.EntryPoint]).toEqual([undefined, undefined])
    expect(JSON.stringify(given.Image)).toContain(`millrace-${service}`)
    expect(() => readers[service](environmentOf(service))).not.toThrow()
  })

  test('has the settings that compose gives it, and no others', () => {
    const environment: Record<string, string> = compose.services[service].environment
    const expected = Object.entries(environment)
      // Empty = not set; the keys of before stand in secrets that are always there.
      .filter(
        ([name, value]) => !/^\$\{\w+:-\}$/.test(value) || name === 'MILLRACE_PUBLIC_URL' || name.endsWith('_PREVIOUS'),
      )
      .map(([name]) => name)
      .filter((name) => !onlyInCompose.test(name))
    const added = [...onlyOnAws, 'MILLRACE_WORKER_DRAIN_TIMEOUT']
    expect(names.filter((name) => !added.includes(name)).sort()).toEqual(expected.sort())
  })

  test('has what is secret from Secrets Manager alone: its own and nobody else’s', () => {
    const secret = /PASSWORD|_KEY$|DATABASE_URL|MONGO_URL|SMTP_URL/
    expect(given.Environment.filter(({ Name }) => secret.test(Name))).toEqual([])
    const places = JSON.stringify(given.Secrets.map(({ ValueFrom }) => ValueFrom))
    for (const other of Object.keys(readers).filter((name) => name !== service && service !== 'setup')) {
      expect(places).not.toContain(`secret:millrace/x/${other}`)
      expect(places).not.toMatch(new RegExp(`(KafkaAccount|DatabaseUrl|DatabasePassword)${other}`))
    }
  })
})

test('services speak plain HTTP to each other, artifacts too', () => {
  const urls = serviceNames.map((service) => environmentOf(service).MILLRACE_ARTIFACT_URL).filter(Boolean)
  expect(new Set(urls).size).toBe(1)
  expect(urls[0]).toMatch(/^http:\/\/artifact\..+:8085$/)
})

test('ports are those of compose and the chart', () => {
  const helpers = readFileSync(join(root, 'infra/helm/millrace/templates/_helpers.tpl'), 'utf8')
  for (const service of serviceNames) {
    const environment: Record<string, string> = compose.services[service].environment
    const inCompose = Object.entries(environment).filter(([name]) =>
      /^MILLRACE_SERVICE_((PUBLIC_)?GRPC|HTTP)_PORT$/.test(name),
    )
    expect([...portsOf[service]].sort()).toEqual(inCompose.map(([, port]) => Number(port)).sort())
    expect(containerOf(service).PortMappings?.map(({ ContainerPort }) => ContainerPort)).toEqual([...portsOf[service]])
    const line = new RegExp(`^${service}: \\{ (.*) \\}$`, 'm').exec(helpers)?.[1]
    if (line) expect(line.match(/\d+/g)?.map(Number).sort()).toEqual([...portsOf[service]].sort())
  }
})

test('the keys made before a stack are those that the containers ask for', () => {
  const made = makeKeys('smtp://x')
  for (const service of serviceNames) {
    const asked = containerOf(service).Secrets.filter(({ ValueFrom }) =>
      JSON.stringify(ValueFrom).includes(`millrace/x/${service}`),
    )
    expect([service, asked.map(({ Name }) => Name).sort()]).toEqual([service, Object.keys(made[service]).sort()])
  }
})
