import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { cached } from '@millrace/stack-servers'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Account, newUser } from '../support/client.js'
import { startTarget, type Target } from '../support/target.js'

const VERSION = 'v1.9.3'
const run = promisify(execFile)

let binary: string
let target: Target
let account: Account
let key: string

beforeAll(async () => {
  const folder = await cached(`grpcurl-${VERSION}`, async (draft) => {
    const env = { ...process.env, GOBIN: draft, GOFLAGS: '-buildvcs=false -modcacherw' }
    await run('go', ['install', `github.com/fullstorydev/grpcurl/cmd/grpcurl@${VERSION}`], { env })
  })
  binary = join(folder, 'grpcurl')
  target = await startTarget()
  account = await newUser(target)
  key = (await account.client.createKey('worker')).key
})

afterAll(() => target?.close())

const grpcurl = async (...args: string[]): Promise<string> => (await run(binary, ['-plaintext', ...args])).stdout
const call = async (method: string, request: object) => {
  const args = ['-H', `authorization: Bearer ${key}`, '-d', JSON.stringify(request), target.grpcAddress, method]
  return JSON.parse(await grpcurl(...args)) as Record<string, unknown>
}

const services = [
  'grpc.health.v1.Health',
  'grpc.reflection.v1.ServerReflection',
  'grpc.reflection.v1alpha.ServerReflection',
  'millrace.metadata.v1.LogService',
  'millrace.scheduler.v1.DispatchService',
  'millrace.scheduler.v1.SchedulerService',
]

test('lists and describes every service of the public port', async () => {
  expect((await grpcurl(target.grpcAddress, 'list')).trim().split('\n')).toEqual(services)
  for (const name of services) {
    expect(await grpcurl(target.grpcAddress, 'describe', name)).toContain(`${name} is a service`)
  }
  expect(await grpcurl(target.grpcAddress, 'describe', 'millrace.common.v1.Failure')).toContain('is a message')
})

test('calls them, with the field names of the contracts', async () => {
  expect(JSON.parse(await grpcurl(target.grpcAddress, 'grpc.health.v1.Health/Check'))).toEqual({ status: 'SERVING' })
  const registered = await call('millrace.scheduler.v1.DispatchService/Register', {
    name: 'grpcurl',
    executors: ['curl.job'],
    concurrency: 1,
  })
  const session = { id: registered.sessionId, secret: registered.sessionSecret }
  await account.client.runTasks({ job: { uses: 'curl.job' } })
  const { leases } = await call('millrace.scheduler.v1.DispatchService/LeaseTasks', {
    session,
    max: 1,
    wait_ms: 10_000,
  })
  const [lease] = leases as { taskId: string; runId: string; projectId: string; leaseId: string; key: string }[]
  const line = {
    task_id: lease?.taskId,
    run_id: lease?.runId,
    project_id: lease?.projectId,
    key: lease?.key,
    attempt: 1,
    seq: 1,
    message: 'by hand',
  }
  expect(await call('millrace.metadata.v1.LogService/Append', { lines: [line] })).toEqual({ accepted: 1 })
  await call('millrace.scheduler.v1.DispatchService/Deregister', { session })
})
