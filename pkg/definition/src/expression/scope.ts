import { timestampFromMs } from '@bufbuild/protobuf/wkt'
import type { Bindings } from './compile-expression.js'
import { jsonToCel } from './json-to-cel.js'

export interface TaskScope {
  output?: unknown
  status: string
  error?: unknown
}

export interface Scope {
  input: unknown
  tasks: Record<string, TaskScope>
  run: Record<string, unknown>
  /** The run's own time, recorded when it was asked for: the same at each evaluation. */
  now?: string
  task: Record<string, unknown>
  item?: unknown
  index?: number
}

export const runVariables: ReadonlySet<string> = new Set(['input', 'tasks', 'run', 'now'])
export const taskVariables: ReadonlySet<string> = new Set([...runVariables, 'task'])
export const itemVariables: ReadonlySet<string> = new Set([...taskVariables, 'item', 'index'])

/**
 * No prototype: the library looks names up with `data[name]`, and would find `constructor`. Only the tasks that the
 * template refers to are bound, so an evaluation costs the same in a run of two tasks and of two thousand.
 */
export function bind(scope: Scope, taskKeys: Iterable<string>): Bindings {
  const bindings: Bindings = Object.create(null)
  const tasks: Record<string, unknown> = Object.create(null)
  for (const key of taskKeys) {
    const task = Object.hasOwn(scope.tasks, key) ? scope.tasks[key] : undefined
    if (task === undefined) continue
    tasks[key] = { status: task.status, output: task.output ?? null, error: task.error ?? null }
  }
  bindings.input = jsonToCel(scope.input ?? null)
  bindings.tasks = jsonToCel(tasks)
  bindings.run = jsonToCel(scope.run)
  bindings.task = jsonToCel(scope.task)
  if (scope.now !== undefined) bindings.now = timestampFromMs(Date.parse(scope.now))
  if (scope.item !== undefined) bindings.item = jsonToCel(scope.item)
  if (scope.index !== undefined) bindings.index = BigInt(scope.index)
  return bindings
}
