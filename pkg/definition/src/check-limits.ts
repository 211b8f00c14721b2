import type { FieldPath } from './field-path.js'
import { isObject, type JsonObject } from './json-value.js'
import type { LocatedProblem } from './schema/check-schema.js'

/** The engine itself sees to these: no worker has them, so there is nothing that a limit could count. Those of a map are its children's. */
const unleased: ReadonlySet<unknown> = new Set(['approval', 'signal', 'workflow'])
const fields = ['concurrency', 'rateLimit'] as const

/** A limit where it would have no effect is refused, not ignored. */
export function checkLimits(tasks: ReadonlyMap<string, JsonObject>): LocatedProblem[] {
  const problems: LocatedProblem[] = []
  const check = (task: JsonObject, path: FieldPath): void => {
    if (!unleased.has(task.uses)) return
    for (const field of fields) {
      if (task[field] === undefined) continue
      problems.push({
        path: [...path, field],
        code: 'limit_without_effect',
        message: `no worker runs a task that uses ${String(task.uses)}, so there is nothing to limit${hint(task.uses)}`,
      })
    }
  }
  for (const [key, task] of tasks) {
    check(task, ['tasks', key])
    const child = task.uses === 'map' && isObject(task.with) ? task.with.task : undefined
    if (isObject(child)) check(child, ['tasks', key, 'with', 'task'])
  }
  return problems
}

function hint(uses: unknown): string {
  return uses === 'workflow' ? '; give the workflow that it starts a limit of its own' : ''
}
