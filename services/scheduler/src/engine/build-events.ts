import type { EventInput, Topic } from '@millrace/events'
import type { BatchRows } from '../db/batch/clauses.js'
import { approvalTerms } from '../domain/approval.js'
import type { TaskChange } from '../domain/effects.js'
import { bareFailure, type RunFailure } from '../domain/failure.js'
import { outputPointer } from '../domain/large-output.js'
import type { RunState } from '../domain/state.js'
import { type DecidedRun, taskId } from './decided-run.js'
import type { Environment } from './environment.js'
import { type LargeOutputs, shownRunOutput } from './large-outputs.js'
import type { ShardItem } from './shard-item.js'

/** The facts that follow from a decision, in the order in which they are told. */
export function addEvents(rows: BatchRows, run: DecidedRun, env: Environment, large: LargeOutputs): void {
  const { state } = run.decision
  const push: Push = (topic, task, data, source = 'scheduler', withTimes = false) =>
    rows.events.push({
      position: rows.events.length,
      runId: state.id,
      taskId: task,
      topic,
      source,
      traceparent: state.traceparent,
      data: JSON.stringify(data),
      withTimes,
    })
  for (const item of run.items) addReportedResult(run, item, push, large)
  for (const change of run.decision.effects.tasks) push('task.updated', taskId(run, change), taskUpdated(run, change))
  for (const index of run.decision.effects.deadLetters) addDeadLetter(rows, run, index, env.newId(), push)
  for (const approval of run.decision.effects.approvals) addApproval(run, approval, push)
  addRunEvents(run, push, shownRunOutput(run, large))
}

type Push = <T extends Topic>(
  topic: T,
  task: string | null,
  data: EventInput<T>,
  source?: string,
  withTimes?: boolean,
) => void

/** The worker's own words, put into the log in its name. */
function addReportedResult(run: DecidedRun, item: ShardItem, push: Push, large: LargeOutputs): void {
  const { command, report } = item
  if (!report || report.published || (command.kind !== 'succeed' && command.kind !== 'fail')) return
  const index = run.before.indexById.get(command.taskId)
  if (index === undefined) return
  const claim = {
    taskId: command.taskId,
    runId: run.before.id,
    projectId: run.before.projectId,
    token: command.lease.token,
    leaseId: command.lease.leaseId,
    sessionId: report.sessionId,
    durationMs: report.durationMs,
    attempt: run.before.tasks[index]?.attempt ?? 0,
  }
  const source = `worker:${report.workerId}`
  const kept = large.tasks.get(index)
  if (command.kind === 'succeed') {
    const outputJson = kept ? outputPointer(kept.artifact) : (command.output ?? '')
    push('task.completed', command.taskId, { ...claim, outputJson }, source)
  }
  if (command.kind === 'fail') push('task.failed', command.taskId, { ...claim, error: command.error }, source)
}

function taskFacts(run: DecidedRun, index: number) {
  const { state } = run.decision
  return {
    taskId: state.tasks[index]?.id ?? '',
    runId: state.id,
    projectId: state.projectId,
    workflow: state.workflow,
    version: state.version,
    key: run.plan.tasks[index]?.key ?? '',
    index: -1,
  }
}

function taskUpdated(run: DecidedRun, change: TaskChange): EventInput<'task.updated'> {
  const plan = run.plan.tasks[change.index]
  const grant = run.grants.get(change.index)
  return {
    ...taskFacts(run, change.index),
    uses: plan?.uses ?? '',
    queue: plan?.queue ?? '',
    status: grant ? 'running' : change.status,
    attempt: change.attempt,
    maxAttempts: change.maxAttempts,
    ...(grant ? { workerId: grant.workerId, scheduled: true } : {}),
    ...(change.error ? { error: bareFailure(change.error) } : {}),
    ...labelsOf(run),
  }
}

/** Left out where there are none, as in most runs: events are many. */
function labelsOf(run: DecidedRun): { labels?: Record<string, string> } {
  const { labels } = run.decision.state
  return Object.keys(labels).length > 0 ? { labels } : {}
}

function addDeadLetter(rows: BatchRows, run: DecidedRun, index: number, id: string, push: Push): void {
  const { tasks, id: runId, projectId, labels } = run.decision.state
  const task = tasks[index]
  if (!task?.error) return
  const error = JSON.stringify(task.error)
  rows.deadLetters.push({ id, runId, taskId: task.id, projectId, class: task.error.class, error })
  push('task.dead-lettered', task.id, { ...taskFacts(run, index), attempt: task.attempt, error: task.error, labels })
}

function addApproval(run: DecidedRun, approval: { index: number; input: string }, push: Push): void {
  const { index: _none, ...facts } = taskFacts(run, approval.index)
  const { labels } = run.decision.state
  push('approval.requested', facts.taskId, { ...facts, ...approvalTerms(approval.input), labels })
}

function addRunEvents(run: DecidedRun, push: Push, output: string | null): void {
  const { state, effects } = run.decision
  if (!effects.run) return
  const facts = {
    runId: state.id,
    projectId: state.projectId,
    workflow: state.workflow,
    version: state.version,
    status: state.status,
    reason: state.reason ?? '',
    generation: state.generation,
  }
  push('workflow.updated', null, facts)
  if (!effects.run.ended) return
  const completed = {
    ...facts,
    outputJson: output ?? '',
    ...failureFacts(effects.run.error),
    labels: state.labels,
    createdAt: state.createdAt,
    ...starterFacts(state),
  }
  push('workflow.completed', null, completed, 'scheduler', true)
}

function failureFacts(failure: RunFailure | null | undefined) {
  if (!failure) return {}
  const { task = '', index } = failure
  return { error: bareFailure(failure), failedTask: task, ...(index === undefined ? {} : { failedIndex: index }) }
}

/** As `workflow.started` says it. */
function starterFacts({ requestedBy, origin }: RunState) {
  const { parent, rerun } = origin ?? {}
  return {
    requestedBy,
    ...(parent ? { parent } : {}),
    ...(rerun ? { rerun: { runId: rerun.runId, from: rerun.from, index: rerun.index } } : {}),
  }
}
