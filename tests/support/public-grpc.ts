import { status } from '@grpc/grpc-js'
import { expect } from 'vitest'
import { type Account, uniqueName } from './client.js'

export interface GrpcAnswer {
  code: number
  messages: Record<string, unknown>[]
}

/** A client that learns from reflection what the port serves. Methods are named as `package.Service/Method`. */
export interface GrpcCaller {
  services(): Promise<string[]>
  methods(service: string): Promise<string[]>
  call(method: string, requests: object[], token?: string): Promise<GrpcAnswer>
}

export const publicServices = [
  'grpc.health.v1.Health',
  'grpc.reflection.v1.ServerReflection',
  'grpc.reflection.v1alpha.ServerReflection',
  'millrace.metadata.v1.LogService',
  'millrace.scheduler.v1.DispatchService',
  'millrace.scheduler.v1.SchedulerService',
]

const dispatch = 'millrace.scheduler.v1.DispatchService'
const scheduler = 'millrace.scheduler.v1.SchedulerService'
const logs = 'millrace.metadata.v1.LogService'
const reads = ['GetRun', 'GetTask', 'ListTasks', 'WatchRun', 'ExplainRun'] as const
const noId = '01990000-0000-7000-8000-000000000000'

/** What is open to all; the rest asks for a token. */
const isOpen = (method: string): boolean => method.startsWith('grpc.')

export async function methodsOfPort(caller: GrpcCaller): Promise<string[]> {
  const methods = await Promise.all((await caller.services()).map((service) => caller.methods(service)))
  return methods.flat().sort()
}

/** A caller that notes which methods answered without a fault. */
class Noting {
  readonly answered = new Set<string>()
  constructor(
    private readonly caller: GrpcCaller,
    private readonly token?: string,
  ) {}

  async first<T>(method: string, ...requests: object[]): Promise<T> {
    const { code, messages } = await this.caller.call(method, requests, this.token)
    expect(code, method).toBe(status.OK)
    expect(messages.length, `${method} answers`).toBeGreaterThan(0)
    this.answered.add(method)
    return messages[0] as T
  }
}

interface Lease {
  taskId: string
  runId: string
  projectId: string
  leaseId: string
  key: string
  token: number | string
}

/** Calls every method of the port with sense, as a worker and a reader would. Gives the names of those that answered. */
export async function callEverything(caller: GrpcCaller, { client }: Account): Promise<string[]> {
  const open = new Noting(caller)
  await callOpen(open)
  const worker = new Noting(caller, (await client.createKey('worker')).key)
  const reader = new Noting(caller, (await client.createKey('viewer')).key)
  const uses = uniqueName('port')
  const session = await register(worker, uses)
  const { id } = await client.runTasks({ job: { uses } })
  const asked = { session, max: 1, wait_ms: 10_000 }
  const { leases } = await worker.first<{ leases: Lease[] }>(`${dispatch}/LeaseTasks`, asked)
  const [lease] = leases
  if (!lease) throw new Error('no lease')
  expect(lease).toMatchObject({ runId: id, key: 'job' })
  await whileHeld(worker, session, lease)
  await read(reader, lease)
  await report(worker, session, lease)
  const ended = await client.ended(id)
  expect(ended).toMatchObject({ status: 'succeeded', tasks: [{ output: { by: 'hand' } }] })
  const watched = await reader.first(`${scheduler}/WatchRun`, { run_id: id })
  expect(watched).toMatchObject({ snapshot: { run: { id, status: 'succeeded' } } })
  await worker.first(`${dispatch}/Deregister`, { session })
  return [open, worker, reader].flatMap(({ answered }) => [...answered]).sort()
}

async function callOpen(open: Noting): Promise<void> {
  expect(await open.first('grpc.health.v1.Health/Check', {})).toMatchObject({ status: 'SERVING' })
  expect(await open.first('grpc.health.v1.Health/Watch', {})).toMatchObject({ status: 'SERVING' })
  expect(await open.first('grpc.health.v1.Health/List', {})).toHaveProperty('statuses')
  for (const version of ['v1', 'v1alpha']) {
    const method = `grpc.reflection.${version}.ServerReflection/ServerReflectionInfo`
    const { listServicesResponse } = await open.first<{ listServicesResponse: { service: { name: string }[] } }>(
      method,
      { list_services: '' },
    )
    expect(listServicesResponse.service.map(({ name }) => name).sort()).toEqual(publicServices)
  }
}

type Session = { id: string; secret: string }

async function register(worker: Noting, uses: string): Promise<Session> {
  const made = await worker.first<{ sessionId: string; sessionSecret: string }>(`${dispatch}/Register`, {
    ...{ name: 'by-hand', executors: [uses], concurrency: 1 },
  })
  return { id: made.sessionId, secret: made.sessionSecret }
}

async function whileHeld(worker: Noting, session: Session, lease: Lease): Promise<void> {
  const { taskId: task_id, runId: run_id, projectId: project_id, leaseId: lease_id, key } = lease
  const progress = { percent: 50, message: 'half' }
  const beat = { session, held: [{ task_id, lease_id, progress }] }
  expect(await worker.first(`${dispatch}/Commands`, { session })).toMatchObject({ resume: true })
  // After the stream, which is read for as long as half a lease.
  const { lostLeaseIds = [] } = await worker.first<{ lostLeaseIds?: string[] }>(`${dispatch}/Heartbeat`, beat)
  expect(lostLeaseIds).toEqual([])
  const line = { task_id, run_id, project_id, key, attempt: 1, lease_id, seq: 1, message: 'by hand' }
  expect(await worker.first(`${logs}/Append`, { lines: [line] })).toEqual({ accepted: 1 })
}

/** While the task is held. */
async function read(reader: Noting, { runId: run_id, taskId: task_id }: Lease): Promise<void> {
  const running = { key: 'job', status: 'running' }
  const run = { id: run_id, status: 'running' }
  expect(await reader.first(`${scheduler}/GetRun`, { run_id })).toMatchObject({ run, tasks: [running] })
  expect(await reader.first(`${scheduler}/GetTask`, { task_id })).toMatchObject({ task: running })
  expect(await reader.first(`${scheduler}/ListTasks`, { run_id })).toMatchObject({ tasks: [running] })
  expect(await reader.first(`${scheduler}/ExplainRun`, { run_id })).toMatchObject({ tasks: [running] })
}

/** The result over the stream of work, and once more by a call: the second one changes nothing. */
async function report(worker: Noting, session: Session, lease: Lease): Promise<void> {
  const { taskId: task_id, runId: run_id, leaseId: lease_id, token } = lease
  const result = { task_id, run_id, token, lease_id, outcome: 'OUTCOME_SUCCEEDED', output_json: '{"by":"hand"}' }
  const results = { session, results: [result] }
  const { report: answer } = await worker.first<{ report: { verdicts: string[] } }>(`${dispatch}/Work`, {
    ...{ id: 1, report: results, timeout_ms: 5_000 },
  })
  expect(answer.verdicts).toEqual(['VERDICT_ACCEPTED'])
  const again = await worker.first<{ verdicts: string[] }>(`${dispatch}/ReportResults`, results)
  expect(again.verdicts).toHaveLength(1)
}

/** Codes of each method without a token, and of each read with one of a run or task that is not there. */
export async function refusals(caller: GrpcCaller, { client }: Account): Promise<Record<string, number>> {
  const codes: Record<string, number> = {}
  for (const method of (await methodsOfPort(caller)).filter((each) => !isOpen(each))) {
    codes[method] = (await caller.call(method, [{}])).code
  }
  const { key } = await client.createKey('viewer')
  for (const name of reads) {
    const request = name === 'GetTask' ? { task_id: noId } : { run_id: noId }
    codes[`absent ${name}`] = (await caller.call(`${scheduler}/${name}`, [request], key)).code
  }
  return codes
}

/** What `refusals` is to give. */
export function expectedRefusals(methods: readonly string[]): Record<string, number> {
  return Object.fromEntries([
    ...methods.filter((method) => !isOpen(method)).map((method) => [method, status.UNAUTHENTICATED]),
    ...reads.map((name) => [`absent ${name}`, status.NOT_FOUND]),
  ])
}
