import type { operations } from './gen/schema'

/** The body of an operation's successful answer. */
export type Body<Operation extends keyof operations> = operations[Operation]['responses'] extends infer Responses
  ? {
      [Status in keyof Responses & (200 | 201 | 202)]: Responses[Status] extends {
        content: { 'application/json': infer Json }
      }
        ? Json
        : never
    }[keyof Responses & (200 | 201 | 202)]
  : never

export type Item<List> = List extends { items: readonly (infer Each)[] } ? Each : never

/**
 * An answer's fields that the document does not mark as required although the service always sends them; those named by
 * `Absent` may really be missing.
 */
export type Sent<T, Absent extends keyof T = never> = Required<Omit<T, Absent>> & Pick<T, Absent>

export type Run = Body<'getRun'>
export type RunSummary = Item<Body<'listRuns'>>
export type Task = Run['tasks'][number]
export type RunStatus = RunSummary['status']
export type TaskStatus = Task['status']
export type Workflow = Body<'getWorkflow'>
export type WorkflowSummary = Item<Body<'listWorkflows'>>
export type Graph = Workflow['graph']
export type Me = Body<'getMe'>
export type Role = 'viewer' | 'operator' | 'editor' | 'owner'
export type Explanation = Body<'explainRun'>
export type Job = Body<'getJob'>
export type Approval = Item<Body<'listApprovals'>>
export type DeadLetter = Body<'getDeadLetter'>
export type Schedule = Body<'getSchedule'>

export const runStatuses: readonly RunStatus[] = [
  'queued',
  'running',
  'paused',
  'cancelling',
  'succeeded',
  'failed',
  'cancelled',
]

export const hasRunEnded = (status: RunStatus): boolean =>
  status === 'succeeded' || status === 'failed' || status === 'cancelled'

export const hasTaskEnded = (status: TaskStatus): boolean =>
  status === 'succeeded' || status === 'failed' || status === 'skipped' || status === 'cancelled'

const order: readonly string[] = ['viewer', 'operator', 'editor', 'owner', 'admin']

/** Roles are ordered: each may do what the ones before it may. */
export const mayActAs = (has: string | undefined, needed: Role): boolean =>
  has !== undefined && order.indexOf(has) >= order.indexOf(needed)
