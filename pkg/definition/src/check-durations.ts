import { parseDuration } from './duration.js'
import type { FieldPath } from './field-path.js'
import { isObject, type JsonObject } from './json-value.js'
import { badDuration, type LocatedProblem } from './schema/check-schema.js'

const timeouts = ['timeout', 'queueTimeout', 'totalTimeout']

/** What the schema's pattern cannot say: an upper bound, and that a time limit is more than nothing. */
export function checkDurations(definition: JsonObject, tasks: ReadonlyMap<string, JsonObject>): LocatedProblem[] {
  const problems: LocatedProblem[] = []
  const check = (owner: unknown, field: string, path: FieldPath, positive: boolean): void => {
    const text = isObject(owner) ? owner[field] : undefined
    if (typeof text !== 'string' || text.includes('${{')) return
    const ms = parseDuration(text)
    const at = [...path, field]
    if (ms === undefined)
      problems.push({
        path: at,
        code: 'bad_duration',
        message: badDuration,
      })
    else if (positive && ms === 0)
      problems.push({ path: at, code: 'bad_duration', message: 'must be longer than nothing' })
  }
  const checkTask = (owner: JsonObject, path: FieldPath): void => {
    for (const field of timeouts) check(owner, field, path, true)
    check(owner.retry, 'delay', [...path, 'retry'], false)
    check(owner.retry, 'maxDelay', [...path, 'retry'], false)
    check(owner.rateLimit, 'per', [...path, 'rateLimit'], true)
    if (owner.uses === 'sleep') check(owner.with, 'duration', [...path, 'with'], false)
  }
  check(definition, 'timeout', [], true)
  check(definition, 'expectedDuration', [], true)
  if (definition.retention !== '0') check(definition, 'retention', [], true)
  check(definition.retention, 'age', ['retention'], true)
  if (isObject(definition.defaults)) checkTask(definition.defaults, ['defaults'])
  for (const [key, task] of tasks) {
    checkTask(task, ['tasks', key])
    const child = task.uses === 'map' && isObject(task.with) ? task.with.task : undefined
    if (isObject(child)) checkTask(child, ['tasks', key, 'with', 'task'])
  }
  return problems
}
