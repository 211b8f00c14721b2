import { type App, Validations } from 'aws-cdk-lib'
import { AwsSolutionsChecks } from 'cdk-nag'
import { acknowledge } from './acknowledged.js'
import { MillraceStack } from './stack.js'

/** cdk synth -c branch=… -c publicUrl=… -c certificateArn=… [-c size=prod] [-c images=millrace] [-c tag=…] [-c alarmEmail=…] */
export function createStack(app: App): MillraceStack {
  const context = (name: string): string | undefined => app.node.tryGetContext(name)
  const branch = branchName(context('branch'))
  const size = context('size') ?? 'dev'
  if (size !== 'dev' && size !== 'prod') throw new Error(`size is dev or prod, not ${size}`)
  const alarmEmail = context('alarmEmail')
  const stack = new MillraceStack(app, `millrace-${branch}`, {
    branch,
    size,
    publicUrl: needed('publicUrl', context('publicUrl'), /^https:\/\//),
    certificateArn: needed('certificateArn', context('certificateArn'), /^arn:aws[\w-]*:acm:/),
    images: { repository: context('images') ?? 'millrace', tag: context('tag') ?? 'latest' },
    ...(alarmEmail === undefined ? {} : { alarmEmail }),
    env: {
      ...(process.env.CDK_DEFAULT_ACCOUNT ? { account: process.env.CDK_DEFAULT_ACCOUNT } : {}),
      region: context('region') ?? process.env.CDK_DEFAULT_REGION ?? 'eu-central-1',
    },
    terminationProtection: size === 'prod',
  })
  Validations.of(app).addPlugins(new AwsSolutionsChecks(app))
  acknowledge(stack, size)
  return stack
}

/** Names of AWS' resources: lower case, digits and hyphens, short enough for all of them. */
function branchName(given: string | undefined): string {
  const name = needed('branch', given, /\S/)
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .slice(0, 24)
  const trimmed = name.startsWith('-') ? name.slice(1) : name
  return trimmed.endsWith('-') ? trimmed.slice(0, -1) : trimmed
}

function needed(name: string, value: string | undefined, pattern: RegExp): string {
  if (value === undefined || !pattern.test(value)) throw new Error(`-c ${name}=… is missing or wrong`)
  return value
}
