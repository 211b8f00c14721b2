import {
  controlServiceDefinition,
  dispatchDefinition,
  iamServiceDefinition,
  logServiceDefinition,
  type ServiceContract,
  schedulerInternalDefinition,
  scheduleServiceDefinition,
  workerServiceDefinition,
  workflowServiceDefinition,
} from '@millrace/contracts'
import { permissionDenied } from '@millrace/errors'
import type { ServiceName } from '@millrace/identity'
import type { MethodNames } from './call-types.js'

type Callers = readonly ServiceName[]

const workflow: Callers = ['workflow']
const worker: Callers = ['worker']

type MethodsOf<C> = C extends ServiceContract<infer _D, infer H> ? MethodNames<H> & string : never

/** A method that is missing here does not compile: whoever adds one says who may call it. */
function rights<C extends ServiceContract>({ name }: C, callers: Readonly<Record<MethodsOf<C>, Callers>>) {
  return Object.entries<Callers>(callers).map(([method, allowed]) => [`/${name}/${method}`, allowed] as const)
}

/** Which services may call which method; a method that is not here is closed to all of them. */
const byPath: ReadonlyMap<string, Callers> = new Map([
  ...rights(iamServiceDefinition, {
    ValidateToken: ['scheduler', 'metadata', 'workflow'],
    GetJwks: ['workflow', 'scheduler', 'metadata', 'notification', 'artifact'],
    GetSecrets: ['scheduler'],
    FindInvalidKeys: ['scheduler'],
    GetSubjectNames: workflow,
    GetQuotas: ['workflow', 'scheduler', 'artifact'],
    GetUsage: workflow,
    UseMails: ['notification', 'worker'],
    OpenStream: ['workflow', 'metadata', 'scheduler'],
    KeepStreams: ['workflow', 'metadata', 'scheduler'],
    ReportStorage: ['artifact'],
  }),
  ...rights(workflowServiceDefinition, {
    CreateRun: ['scheduler'],
    CreateRuns: ['scheduler'],
    GetVersion: ['scheduler'],
  }),
  ...rights(schedulerInternalDefinition, {
    GetRun: ['workflow', 'metadata', 'artifact'],
    ListRuns: workflow,
    ListTasks: workflow,
    WatchRun: workflow,
    ReadChanged: workflow,
    CountRuns: workflow,
    ListActivity: workflow,
    ListApprovals: workflow,
    ExplainRun: workflow,
    CancelRun: workflow,
    PauseRun: workflow,
    ResumeRun: workflow,
    RetryRun: workflow,
    DecideApproval: workflow,
    SendSignal: workflow,
    ListDeadLetters: workflow,
    GetDeadLetter: workflow,
    RetryDeadLetter: workflow,
    DeleteDeadLetter: workflow,
    HoldsLease: ['artifact'],
    FindOutputUsers: ['artifact'],
    DeleteRuns: workflow,
    GetLineage: workflow,
    TakeRuns: workflow,
  }),
  ...rights(scheduleServiceDefinition, {
    CreateSchedule: workflow,
    GetSchedule: workflow,
    ListSchedules: workflow,
    UpdateSchedule: workflow,
    DeleteSchedule: workflow,
    BackfillSchedule: workflow,
    PreviewBackfill: workflow,
    NextTicks: workflow,
    CountSchedules: workflow,
  }),
  ...rights(controlServiceDefinition, {
    ListWorkers: workflow,
    CommandWorker: workflow,
    ListQueues: workflow,
    UpdateQueue: workflow,
  }),
  ...rights(dispatchDefinition, {
    Register: worker,
    LeaseTasks: worker,
    Heartbeat: worker,
    Commands: worker,
    ReportResults: worker,
    Work: worker,
    Deregister: worker,
  }),
  ...rights(logServiceDefinition, { Append: worker }),
  ...rights(workerServiceDefinition, {
    GetStatus: workflow,
    Pause: workflow,
    Resume: workflow,
    Drain: workflow,
  }),
])

/** Of a method's path; undefined when no service may call it. */
export const callersOf = (path: string): Callers | undefined => byPath.get(path)

export function requireServiceAccess(path: string, service: ServiceName): void {
  if (byPath.get(path)?.includes(service)) return
  throw permissionDenied('forbidden_service', `The service ${service} may not call ${path}.`)
}
