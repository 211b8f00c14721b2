import type { InboxCommand } from '../db/run-inbox.js'
import { childRunId } from '../domain/child-run.js'
import type { DecidedRun } from './decided-run.js'
import type { Environment } from './environment.js'

export interface Message {
  readonly toRunId: string
  readonly command: InboxCommand
  readonly dedupeKey: string
}

/** The runs that a decision owes something. */
export function owedBy({ decision: { state, effects } }: DecidedRun): string[] {
  const abandonedRuns = effects.abandonedRuns.map(({ index, attempt }) =>
    childRunId(state.tasks[index]?.id ?? '', attempt),
  )
  const parent = state.origin?.parent
  return parent && effects.run?.ended ? [...abandonedRuns, parent.runId] : abandonedRuns
}

/** What a decision owes other runs. */
export function messagesOf(run: DecidedRun, env: Environment): Message[] {
  const { state, effects } = run.decision
  const messages = effects.abandonedRuns.map(({ index, attempt }): Message => {
    const toRunId = childRunId(state.tasks[index]?.id ?? '', attempt)
    return { toRunId, command: { kind: 'cancel', reason: 'parent' }, dedupeKey: `cancel:${toRunId}` }
  })
  const parent = state.origin?.parent
  if (parent && effects.run?.ended) messages.push(endOf(run, parent, env.random()))
  return messages
}

function endOf(
  { decision: { state, effects } }: DecidedRun,
  { runId: toRunId, taskId, attempt }: { runId: string; taskId: string; attempt: number },
  random: number,
): Message {
  const command: InboxCommand = {
    kind: 'child-ended',
    taskId,
    attempt,
    childRunId: state.id,
    workflow: state.workflow,
    status: state.status,
    output: effects.run?.output ?? null,
    error: effects.run?.error ?? null,
    random,
  }
  return { toRunId, command, dedupeKey: `child-ended:${state.id}:${state.generation}` }
}
