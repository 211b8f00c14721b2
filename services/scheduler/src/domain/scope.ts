import type { Scope, Template } from '@millrace/definition'
import type { EnginePlan } from './engine-plan.js'
import { idempotencyKey } from './idempotency-key.js'
import type { RunState, TaskState } from './state.js'

export interface ScopeSource {
  readonly state: RunState
  readonly tasks: readonly TaskState[]
  readonly plan: EnginePlan
  readonly generation: number
}

/** Whose template it is: the run's own has no key, a map item has an index. */
export interface ScopeOwner {
  readonly key: string
  readonly index: number
  readonly attempt: number
}

/**
 * What a template sees. Only the tasks it names: binding all of a wide run for each of its tasks would cost the square
 * of its width.
 */
export function scopeOf(source: ScopeSource, template: Template, owner: ScopeOwner): Scope {
  const tasks: Scope['tasks'] = Object.create(null)
  for (const key of template.references.tasks) {
    const task = source.tasks[source.plan.byKey.get(key) ?? -1]
    if (task) tasks[key] = { status: task.status, output: task.output ?? null, error: task.error ?? null }
  }
  const { id, workflow, version, priority, labels, createdAt, input, origin } = source.state
  const { key, index, attempt } = owner
  return {
    input: input ?? null,
    tasks,
    run: { id, workflow, version, priority, labels: { ...labels }, createdAt },
    now: origin?.startAt ?? createdAt,
    task: { key, attempt, idempotencyKey: idempotencyKey(id, key, index, source.generation) },
  }
}
