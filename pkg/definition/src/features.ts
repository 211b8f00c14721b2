import { compensatedKey } from './compensation.js'
import { isObject, type JsonObject } from './json-value.js'
import type { LocatedProblem } from './schema/check-schema.js'

/** Parts of the language that an engine may lack; the rest (needs, if, when, retry, timeout …) every engine has. */
export const optionalFeatures = [
  'map',
  'workflow',
  'approval',
  'signal',
  'shell',
  'sql',
  'email',
  'webhook',
  'llm',
  'concurrency',
  'rateLimit',
  'secrets',
  'queueTimeout',
  'totalTimeout',
] as const

export type Feature = (typeof optionalFeatures)[number]

/** What the engine of this version does. A definition that asks for more is refused, for a run of it would hang. */
export const supportedFeatures: ReadonlySet<Feature> = new Set<Feature>([
  'concurrency',
  'rateLimit',
  'workflow',
  'map',
  'approval',
  'signal',
  'shell',
  'sql',
  'email',
  'webhook',
  'llm',
  'secrets',
  'queueTimeout',
  'totalTimeout',
])

export const allFeatures: ReadonlySet<Feature> = new Set(optionalFeatures)

const fieldFeatures = ['concurrency', 'rateLimit', 'queueTimeout', 'totalTimeout'] as const

export function checkFeatures(
  definition: JsonObject,
  tasks: ReadonlyMap<string, JsonObject>,
  secrets: readonly LocatedProblem['path'][],
  supported: ReadonlySet<string>,
): LocatedProblem[] {
  const used: { feature: Feature; path: LocatedProblem['path'] }[] = []
  for (const field of fieldFeatures) {
    if (definition[field] !== undefined) used.push({ feature: field, path: [field] })
    if (isObject(definition.defaults) && definition.defaults[field] !== undefined) {
      used.push({ feature: field, path: ['defaults', field] })
    }
  }
  const lookAt = (task: JsonObject, path: LocatedProblem['path']): void => {
    for (const field of fieldFeatures) {
      if (task[field] !== undefined) used.push({ feature: field, path: [...path, field] })
    }
    const uses = task.uses as Feature
    if (optionalFeatures.includes(uses) && !fieldFeatures.includes(uses as never) && uses !== 'secrets') {
      used.push({ feature: uses, path: [...path, 'uses'] })
    }
  }
  const misplaced: LocatedProblem[] = []
  for (const [key, task] of tasks) {
    lookAt(task, ['tasks', key])
    if (compensatedKey(key) !== undefined && answered.has(task.uses)) {
      const message = `${task.uses} cannot compensate: nobody is asked by the key of a compensation`
      misplaced.push({ path: ['tasks', key, 'uses'], code: 'not_in_compensation', message })
    }
    const child = childOfMap(task)
    if (!child) continue
    const path = ['tasks', key, 'with', 'task']
    lookAt(child, path)
    if (notInMaps.has(child.uses)) {
      const message = `${child.uses} cannot stand inside a map`
      misplaced.push({ path: [...path, 'uses'], code: 'not_in_map', message })
    }
  }
  for (const path of secrets) used.push({ feature: 'secrets', path })
  const missing = used
    .filter(({ feature }) => !supported.has(feature))
    .map(({ feature, path }) => ({
      path,
      code: 'unsupported_feature',
      message: `${feature} is part of the language but this version cannot run it yet`,
    }))
  return [...misplaced, ...missing]
}

const answered: ReadonlySet<unknown> = new Set(['approval', 'signal'])

/** What is answered by a task's key, of which all children of a map have the same; and a run of its own for each child. */
const notInMaps: ReadonlySet<unknown> = new Set([...answered, 'workflow'])

function childOfMap(task: JsonObject): JsonObject | undefined {
  const child = task.uses === 'map' && isObject(task.with) ? task.with.task : undefined
  return isObject(child) ? child : undefined
}
