// Runs the task that makes roles, rights and topics, whenever its definition changes; the deployment goes on when it ended well.
import { DescribeTasksCommand, ECSClient, RunTaskCommand } from '@aws-sdk/client-ecs'

const ecs = new ECSClient({})

export async function onEvent({ RequestType, ResourceProperties, PhysicalResourceId }) {
  if (RequestType === 'Delete') return { PhysicalResourceId }
  const { cluster, taskDefinition, subnets, securityGroups } = ResourceProperties
  const network = { awsvpcConfiguration: { subnets, securityGroups, assignPublicIp: 'DISABLED' } }
  const run = { cluster, taskDefinition, launchType: 'FARGATE', networkConfiguration: network }
  const { tasks = [], failures = [] } = await ecs.send(new RunTaskCommand(run))
  if (tasks.length !== 1) throw new Error(`the task of setup did not start: ${JSON.stringify(failures)}`)
  return { PhysicalResourceId: tasks[0].taskArn }
}

export async function isComplete({ RequestType, ResourceProperties, PhysicalResourceId }) {
  if (RequestType === 'Delete') return { IsComplete: true }
  const of = { cluster: ResourceProperties.cluster, tasks: [PhysicalResourceId] }
  const { tasks = [] } = await ecs.send(new DescribeTasksCommand(of))
  const [task] = tasks
  if (task?.lastStatus !== 'STOPPED') return { IsComplete: false }
  const [container] = task.containers ?? []
  if (container?.exitCode !== 0) throw new Error(`setup failed: ${container?.exitCode} ${task.stoppedReason ?? ''}`)
  return { IsComplete: true }
}
