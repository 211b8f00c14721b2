import { type scheduler as proto, schedulerInternalDefinition } from '@millrace/contracts'
import { AppError, unavailable } from '@millrace/errors'
import { createGrpcClient } from '@millrace/grpc'
import type { ServiceIdentity } from '@millrace/identity'
import type { Logger } from '@millrace/logger'

export type ProtoRun = proto.Run__Output
export type ProtoTask = proto.Task__Output

export type ProtoLetter = proto.DeadLetter__Output

export interface RunWithTasks {
  run: ProtoRun
  tasks: ProtoTask[]
}

/** Stands in for what a task was given. Whoever may write definitions may also place secrets in it. */
export type Replacement = Pick<proto.RetryDeadLetterRequest, 'inputJson' | 'mayPlaceSecrets'>

export type RunChange =
  | { kind: 'snapshot'; run: ProtoRun; tasks: ProtoTask[] }
  | { kind: 'run'; run: ProtoRun }
  | { kind: 'task'; task: ProtoTask }

/** The scheduler's rows are the truth about runs; undefined means that it does not have this one (yet). */
export interface SchedulerGateway {
  getRun(projectId: string, runId: string): Promise<RunWithTasks | undefined>
  getRunAlone(projectId: string, runId: string): Promise<ProtoRun | undefined>
  listRuns(request: proto.ListRunsRequest): Promise<{ runs: ProtoRun[]; takenIds: string[] }>
  /** Of any project: for services alone. What does not exist is left out. */
  readChanged(runIds: string[], taskIds: string[]): AsyncIterable<{ run: ProtoRun; task?: ProtoTask }>
  countRuns(request: proto.CountRunsRequest): Promise<proto.CountRunsResponse__Output>
  listActivity(request: proto.ListActivityRequest): Promise<proto.Activity__Output[]>
  /** Undefined when it does not have the run. */
  getLineage(projectId: string, runId: string): Promise<proto.LineageRun__Output[] | undefined>
  /** Gives those that were deleted: runs that have not ended are left as they are. */
  deleteRuns(projectId: string, runIds: string[]): Promise<string[]>
  /** Runs whose start is committed and published: it has them sooner so. */
  takeRuns(runs: proto.StartedRun[]): Promise<void>
  listApprovals(request: proto.ListApprovalsRequest): Promise<proto.ListApprovalsResponse__Output>
  listTasks(request: proto.ListTasksRequest): Promise<{ tasks: ProtoTask[]; nextCursor: string } | undefined>
  explainRun(projectId: string, runId: string): Promise<proto.ExplainRunResponse__Output | undefined>
  /** The run; or undefined when it has not arrived, and the cancel was kept for it. */
  cancelRun(request: proto.CancelRunRequest): Promise<ProtoRun | undefined>
  /** As `cancelRun`: undefined when the command was kept for a run that has not arrived. */
  pauseRun(projectId: string, runId: string): Promise<ProtoRun | undefined>
  resumeRun(projectId: string, runId: string): Promise<ProtoRun | undefined>
  /** With a generation: a run that is of another by now is a conflict, `run_retried`. */
  retryRun(projectId: string, runId: string, generation?: number): Promise<void>
  decideApproval(request: proto.DecideApprovalRequest): Promise<void>
  /** Kept by the scheduler when the run has not arrived, or asks for it only later. */
  sendSignal(request: proto.SendSignalRequest): Promise<void>
  listDeadLetters(request: proto.ListDeadLettersRequest): Promise<ProtoLetter[]>
  getDeadLetter(projectId: string, id: string): Promise<ProtoLetter | undefined>
  retryDeadLetter(projectId: string, id: string, replacement?: Replacement): Promise<ProtoLetter | undefined>
  deleteDeadLetter(projectId: string, id: string): Promise<void>
  watchRun(projectId: string, runId: string, signal: AbortSignal): AsyncIterable<RunChange>
  close(): void
}

/** Longer than any creation takes where the scheduler is well; the event brings what was not taken. */
const TAKE_RUNS_MS = 2_000

export const isAbsent = (error: unknown): boolean => error instanceof AppError && error.code === 'not_found'

/** Whatever keeps the scheduler from answering is one thing to the caller: ask again later. */
export function asOutage(error: unknown): unknown {
  const down = error instanceof AppError && ['unavailable', 'deadline_exceeded', 'internal'].includes(error.code)
  return down ? unavailable('scheduler_unavailable', 'The scheduler cannot be reached; try again.', error) : error
}

async function ask<T>(call: Promise<T>): Promise<T> {
  try {
    return await call
  } catch (error) {
    throw asOutage(error)
  }
}

async function askOptional<T>(call: Promise<T>): Promise<T | undefined> {
  try {
    return await ask(call)
  } catch (error) {
    if (isAbsent(error)) return undefined
    throw error
  }
}

const connect = (address: string, identity: ServiceIdentity, logger: Logger) =>
  createGrpcClient(schedulerInternalDefinition, address, {
    ...identity.credentialsFor('scheduler'),
    logger,
  })

export function createSchedulerGateway(address: string, identity: ServiceIdentity, logger: Logger): SchedulerGateway {
  const client = connect(address, identity, logger)
  return {
    async getRun(projectId, runId) {
      const response = await askOptional(client.getRun({ projectId, runId }))
      if (!response?.run) return undefined
      return { run: response.run, tasks: await withOutputs(client, projectId, runId, response.tasks) }
    },
    getRunAlone: async (projectId, runId) =>
      (await askOptional(client.getRun({ projectId, runId, withoutTasks: true })))?.run ?? undefined,
    listRuns: (request) => ask(client.listRuns(request)),
    async *readChanged(runIds, taskIds) {
      for await (const { run, task } of client.readChanged({ runIds, taskIds })) {
        if (run) yield { run, ...(task ? { task } : {}) }
      }
    },
    countRuns: (request) => ask(client.countRuns(request)),
    listActivity: async (request) => (await ask(client.listActivity(request))).items,
    getLineage: async (projectId, runId) => (await askOptional(client.getLineage({ projectId, runId })))?.runs,
    deleteRuns: async (projectId, runIds) => (await ask(client.deleteRuns({ projectId, runIds }))).deletedIds,
    async takeRuns(runs) {
      await client.takeRuns({ runs }, { timeoutMs: TAKE_RUNS_MS })
    },
    listApprovals: (request) => ask(client.listApprovals(request)),
    listTasks: (request) => askOptional(client.listTasks(request)),
    explainRun: (projectId, runId) => askOptional(client.explainRun({ projectId, runId })),
    async cancelRun(request) {
      const { run } = await ask(client.cancelRun(request))
      return run ?? undefined
    },
    pauseRun: async (projectId, runId) => (await ask(client.pauseRun({ projectId, runId }))).run ?? undefined,
    resumeRun: async (projectId, runId) => (await ask(client.resumeRun({ projectId, runId }))).run ?? undefined,
    async retryRun(projectId, runId, generation = 0) {
      await ask(client.retryRun({ projectId, runId, generation }))
    },
    async decideApproval(request) {
      await ask(client.decideApproval(request))
    },
    async sendSignal(request) {
      await ask(client.sendSignal(request))
    },
    ...deadLetterCalls(client),
    async *watchRun(projectId, runId, signal) {
      try {
        for await (const message of client.watchRun({ projectId, runId }, { signal })) {
          const change = toChange(message)
          if (change?.kind === 'snapshot') {
            yield { ...change, tasks: await withOutputs(client, projectId, runId, change.tasks) }
          } else if (change !== undefined) yield change
        }
      } catch (error) {
        throw asOutage(error)
      }
    },
    close: () => client.close(),
  }
}

/** Inputs and outputs that did not fit into one message are asked for page by page. */
async function withOutputs(
  client: ReturnType<typeof connect>,
  projectId: string,
  runId: string,
  tasks: ProtoTask[],
): Promise<ProtoTask[]> {
  if (!tasks.some((task) => task.outputOmitted)) return tasks
  const whole = new Map<string, Pick<ProtoTask, 'inputJson' | 'outputJson'>>()
  let cursor = ''
  do {
    const page = await ask(client.listTasks({ projectId, runId, cursor, limit: 200 }))
    for (const { id, inputJson, outputJson } of page.tasks) whole.set(id, { inputJson, outputJson })
    cursor = page.nextCursor
  } while (cursor !== '')
  return tasks.map((task) => (task.outputOmitted ? { ...task, ...whole.get(task.id) } : task))
}

type LetterCalls = 'listDeadLetters' | 'getDeadLetter' | 'retryDeadLetter' | 'deleteDeadLetter'

function deadLetterCalls(client: ReturnType<typeof connect>): Pick<SchedulerGateway, LetterCalls> {
  return {
    listDeadLetters: async (request) => (await ask(client.listDeadLetters(request))).deadLetters,
    getDeadLetter: async (projectId, id) =>
      (await askOptional(client.getDeadLetter({ projectId, id })))?.deadLetter ?? undefined,
    retryDeadLetter: async (projectId, id, replacement) =>
      (await ask(client.retryDeadLetter({ projectId, id, ...replacement }))).deadLetter ?? undefined,
    async deleteDeadLetter(projectId, id) {
      await ask(client.deleteDeadLetter({ projectId, id }))
    },
  }
}

function toChange(message: proto.WatchRunResponse__Output): RunChange | undefined {
  if (message.snapshot?.run) return { kind: 'snapshot', run: message.snapshot.run, tasks: message.snapshot.tasks }
  if (message.run) return { kind: 'run', run: message.run }
  if (message.task) return { kind: 'task', task: message.task }
  return undefined
}
