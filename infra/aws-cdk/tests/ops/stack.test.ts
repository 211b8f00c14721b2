import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { installEnvoy } from '@millrace/stack-servers'
import { App, Validations } from 'aws-cdk-lib'
import { Match, Template } from 'aws-cdk-lib/assertions'
import { AwsSolutionsChecks } from 'cdk-nag'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createStack } from '../../src/create-stack.js'
import { envoyCommand } from '../../src/gateway.js'
import { type AlarmName, runbooks } from '../../src/runbooks.js'
import { MillraceStack } from '../../src/stack.js'

const folder = mkdtempSync(join(tmpdir(), 'millrace-cdk-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const project = join(import.meta.dirname, '../..')
const certificateArn = 'arn:aws:acm:eu-central-1:123456789012:certificate/a'
const context = { publicUrl: 'https://millrace.example', certificateArn, tag: '1.2.3' }
type Resource = { Type: string; Properties: Record<string, unknown>; DeletionPolicy?: string }

function templateOf(given: Record<string, string>): Template {
  return Template.fromStack(createStack(new App({ context: { ...context, ...given } })))
}

let dev: Template
let prod: Template
beforeAll(() => {
  dev = templateOf({ branch: 'feature/x' })
  prod = templateOf({ branch: 'main', size: 'prod', alarmEmail: 'ops@millrace.example' })
})

describe('cdk synth', () => {
  beforeAll(() => execFileSync('npx', ['tsc', '-p', project], { stdio: 'inherit' }))

  const synth = (...given: string[]) => {
    const args = given.flatMap((value) => ['-c', value])
    const out = ['--output', join(folder, 'out'), '--quiet']
    const cdk = join(project, 'node_modules/aws-cdk/bin/cdk')
    return spawnSync(process.execPath, [cdk, 'synth', ...args, ...out], { cwd: project, encoding: 'utf8' })
  }

  test.each(['dev', 'prod'])('accepts %s, with every finding of cdk-nag acknowledged by name', (size) => {
    const { status, stderr } = synth(
      'branch=main',
      `size=${size}`,
      'publicUrl=https://m.example',
      `certificateArn=${certificateArn}`,
    )
    expect(status, stderr).toBe(0)
  })

  test.each([
    [['publicUrl=https://m.example', `certificateArn=${certificateArn}`], 'branch'],
    [['branch=x', 'publicUrl=http://m.example', `certificateArn=${certificateArn}`], 'publicUrl'],
    [['branch=x', 'publicUrl=https://m.example'], 'certificateArn'],
    [['branch=x', 'size=huge', 'publicUrl=https://m.example', `certificateArn=${certificateArn}`], 'size'],
  ])('refuses %j, naming %s', (given, name) => {
    const { status, stderr } = synth(...given)
    expect(status).not.toBe(0)
    expect(stderr).toContain(name)
  })

  test('fails on what nobody acknowledged', () => {
    const app = new App()
    const images = { repository: 'millrace', tag: '1' }
    const size = { size: 'dev' as const, images }
    new MillraceStack(app, 'bare', { branch: 'bare', publicUrl: 'https://m.example', certificateArn, ...size })
    Validations.of(app).addPlugins(new AwsSolutionsChecks(app))
    expect(() => app.synth()).toThrow(/AwsSolutions-ECS2/)
  })
})

test('what is kept is encrypted, backed up and, in production, protected and spread over zones', () => {
  for (const template of [dev, prod]) {
    template.hasResourceProperties('AWS::RDS::DBInstance', { StorageEncrypted: true, PubliclyAccessible: false })
    template.hasResourceProperties('AWS::DocDB::DBCluster', { StorageEncrypted: true })
    template.hasResourceProperties('AWS::MSK::Cluster', {
      EncryptionInfo: { EncryptionInTransit: { ClientBroker: 'TLS', InCluster: true } },
      ClientAuthentication: { Sasl: { Scram: { Enabled: true } }, Unauthenticated: { Enabled: false } },
    })
    template.resourceCountIs('AWS::Backup::BackupPlan', 1)
    const selection = Object.values(template.findResources('AWS::Backup::BackupSelection'))[0]
    expect(selection?.Properties.BackupSelection.Resources).toHaveLength(3)
  }
  prod.hasResourceProperties('AWS::RDS::DBInstance', {
    MultiAZ: true,
    DeletionProtection: true,
    BackupRetentionPeriod: 35,
  })
  prod.hasResourceProperties('AWS::DocDB::DBCluster', { DeletionProtection: true })
  prod.hasResource('AWS::KMS::Key', { DeletionPolicy: 'Retain' })
  dev.hasResourceProperties('AWS::RDS::DBInstance', { MultiAZ: false, DeletionProtection: false })
  prod.resourceCountIs('AWS::DocDB::DBInstance', 3)
})

test('workers grow by steps with the age of the oldest ready task, the others with CPU', () => {
  const policies = Object.entries(prod.findResources('AWS::ApplicationAutoScaling::ScalingPolicy'))
  const byCpu = policies.filter(([, { Properties }]) => Properties.PolicyType === 'TargetTrackingScaling')
  // Six services and Envoy.
  expect(byCpu).toHaveLength(7)
  const [target = ''] = Object.entries(prod.findResources('AWS::ApplicationAutoScaling::ScalableTarget'))
    .filter(([, { Properties }]) => JSON.stringify(Properties.ResourceId).includes('Serviceworker'))
    .map(([id]) => id)
  prod.hasResourceProperties('AWS::ApplicationAutoScaling::ScalableTarget', { MinCapacity: 2, MaxCapacity: 20 })
  const queueAge = {
    ...{ MetricName: 'millrace_scheduler_queue_age_seconds', Namespace: 'Millrace/main', Statistic: 'Maximum' },
    ...{ Period: 60, EvaluationPeriods: 3, DatapointsToAlarm: 2 },
  }
  const bySteps = policies.filter(([, { Properties }]) => Properties.PolicyType === 'StepScaling')
  const steps = bySteps.map(([id, { Properties }]) => {
    const { StepAdjustments, ...rest } = Properties.StepScalingPolicyConfiguration
    expect(Properties.ScalingTargetId).toEqual({ Ref: target })
    expect(rest).toMatchObject({ AdjustmentType: 'ChangeInCapacity', Cooldown: 60 })
    const asked = prod.findResources('AWS::CloudWatch::Alarm', { Properties: { AlarmActions: [{ Ref: id }] } })
    const [alarm] = Object.values(asked)
    expect(alarm?.Properties).toMatchObject(queueAge)
    return [alarm?.Properties.ComparisonOperator, alarm?.Properties.Threshold, StepAdjustments]
  })
  expect(steps.sort()).toEqual([
    [
      ...['GreaterThanOrEqualToThreshold', 30],
      [
        { MetricIntervalLowerBound: 0, MetricIntervalUpperBound: 90, ScalingAdjustment: 1 },
        { MetricIntervalLowerBound: 90, ScalingAdjustment: 4 },
      ],
    ],
    ['LessThanOrEqualToThreshold', 1, [{ MetricIntervalUpperBound: 0, ScalingAdjustment: -1 }]],
  ])
  const scheduler = JSON.stringify(prod.findResources('AWS::ECS::TaskDefinition'))
  expect(scheduler).toContain(queueAge.MetricName)
})

test('every alarm reaches a topic and names its runbook, which knows the alarm', () => {
  prod.hasResourceProperties('AWS::SNS::Subscription', { Protocol: 'email', Endpoint: 'ops@millrace.example' })
  const alarms = Object.entries(prod.findResources('AWS::CloudWatch::Alarm')).filter(([id]) => id.startsWith('Alarms'))
  const names = Object.keys(runbooks) as AlarmName[]
  const found = alarms.map(([id, { Properties }]) => {
    const name = names.find((one) => id.startsWith(`Alarms${one.replaceAll('-', '')}`))
    if (name === undefined) throw new Error(`${id} has no runbook`)
    const topic = [{ Ref: expect.stringMatching(/^AlarmsTopic/) }]
    expect(Properties).toMatchObject({ AlarmActions: topic, OKActions: topic })
    const [, runbook = ''] = /^\S.*\. Runbook: (docs\/runbooks\/\S+\.md)$/.exec(Properties.AlarmDescription) ?? []
    expect([name, runbook]).toEqual([name, runbooks[name]])
    expect(readFileSync(join(project, '../..', runbook), 'utf8')).toContain(`\`${name}\``)
    return name
  })
  // Two ports of the gateway, three brokers.
  expect(found.sort()).toEqual([...names, 'target-down', 'kafka-disk', 'kafka-disk'].sort())
})

test('nothing is open to the world but the two ports of the gateway', () => {
  const open: unknown[] = []
  for (const { Properties } of Object.values(prod.findResources('AWS::EC2::SecurityGroup'))) {
    for (const rule of Properties.SecurityGroupIngress ?? []) if (rule.CidrIp === '0.0.0.0/0') open.push(rule.FromPort)
  }
  expect(open.sort()).toEqual([443, 7070])
  prod.hasResourceProperties('AWS::ElasticLoadBalancingV2::Listener', { Protocol: 'TLS', Port: 443 })
  const stores = Object.values(prod.findResources('AWS::EC2::SecurityGroupIngress')).filter(
    ({ Properties }) => Properties.FromPort === 27017,
  )
  expect(stores.map(({ Properties }) => Properties.Description)).toEqual(['metadata to documents'])
})

test('every container is unprivileged, with a file system that it cannot write', () => {
  for (const [name, { Properties }] of Object.entries(prod.findResources('AWS::ECS::TaskDefinition'))) {
    for (const container of Properties.ContainerDefinitions) {
      expect([name, container.ReadonlyRootFilesystem]).toEqual([name, true])
      if (container.Name === 'collector') continue
      expect([name, container.User]).toEqual([name, expect.stringMatching(/^(1000:1000|101:101)$/)])
      expect(container.LinuxParameters.Capabilities).toEqual({ Drop: ['ALL'] })
    }
  }
  prod.allResourcesProperties('AWS::ECS::Service', {
    DeploymentConfiguration: Match.objectLike({
      MinimumHealthyPercent: 100,
      DeploymentCircuitBreaker: { Enable: true, Rollback: true },
    }),
  })
})

test('two branches share no name, and deleting a branch’s stack leaves nothing behind', () => {
  const other = templateOf({ branch: 'feature-y' })
  const named = (template: Template) =>
    new Set(JSON.stringify(template.toJSON()).match(/(?:AmazonMSK_|millrace\/|Millrace\/)?millrace-feature-\w+/g))
  const [x, y] = [named(dev), named(other)]
  expect(x.size).toBeGreaterThan(0)
  expect([...x].filter((name) => y.has(name))).toEqual([])
  const kept = Object.entries(dev.toJSON().Resources as Record<string, Resource>).filter(
    ([, { Type, DeletionPolicy }]) => DeletionPolicy === 'Retain' && Type !== 'AWS::Logs::LogGroup',
  )
  expect(kept.map(([name]) => name)).toEqual([])
})

test('Envoy accepts its configuration as the container’s command makes it', async () => {
  const zone = 'millrace-x.internal'
  const made = join(folder, 'envoy.yaml')
  const script = envoyCommand(zone).at(-1) ?? ''
  const [sed = ''] = script.split(' && exec envoy ')
  const source = join(project, '../envoy/envoy.yaml')
  const command = sed.replace('/etc/envoy/millrace.yaml', source).replace('/tmp/envoy.yaml', made)
  expect(spawnSync('/bin/sh', ['-c', command]).status).toBe(0)
  const text = readFileSync(made, 'utf8')
  for (const service of ['iam', 'workflow', 'metadata', 'notification', 'artifact', 'scheduler']) {
    expect(text).toContain(`address: ${service}.${zone}\n`)
  }
  const { status, stderr } = spawnSync(await installEnvoy(), ['--mode', 'validate', '-c', made], { encoding: 'utf8' })
  expect(status, stderr).toBe(0)
  writeFileSync(made, text.replace('port_value: 8081', 'port_value: none'))
  expect(spawnSync(await installEnvoy(), ['--mode', 'validate', '-c', made]).status).not.toBe(0)
})
