import type { ParentTask__Output } from './gen/millrace/common/v1/ParentTask.js'
import type { RerunSource__Output } from './gen/millrace/common/v1/RerunSource.js'

export interface RunStarter {
  type: 'user' | 'api_key' | 'schedule' | 'hook' | 'run' | 'rerun'
  id: string
}

/** What runs and their events say of where a run came from. */
export interface RunStart {
  /** Such as `user:<id>`. */
  requestedBy: string
  parent: ParentTask__Output | null
  rerun: RerunSource__Output | null
}

const types: Readonly<Record<string, RunStarter['type']>> = {
  user: 'user',
  key: 'api_key',
  schedule: 'schedule',
  hook: 'hook',
}

/** Who or what started a run; null for what no person, key, clock or run stands behind. */
export function runStarter({ requestedBy, parent, rerun }: RunStart): RunStarter | null {
  if (parent) return { type: 'run', id: parent.runId }
  if (rerun) return { type: 'rerun', id: rerun.runId }
  const at = requestedBy.indexOf(':')
  const type = types[requestedBy.slice(0, Math.max(at, 0))]
  return type === undefined ? null : { type, id: requestedBy.slice(at + 1) }
}

/** The second field of a traceparent. */
export const traceIdOf = (traceparent: string): string | null => traceparent.split('-')[1] ?? null
