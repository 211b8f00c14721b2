import type { TaskDefinition } from './definition.js'
import { type CompiledTemplate, compileTemplate } from './expression/template.js'
import type { FieldPath } from './field-path.js'
import type { Upstream } from './graph/check-graph.js'
import { isObject, type JsonObject } from './json-value.js'
import type { LocatedProblem } from './schema/check-schema.js'
import { compileOutput, compileTaskTemplates, type TemplateContext } from './task-templates.js'

export interface CheckedExpressions {
  problems: LocatedProblem[]
  secretPaths: FieldPath[]
}

type Tasks = ReadonlyMap<string, JsonObject & { uses: string }>

export function checkExpressions(
  definition: JsonObject,
  tasks: Tasks,
  upstream: Upstream | undefined,
): CheckedExpressions {
  const result: CheckedExpressions = { problems: [], secretPaths: [] }
  const context: TemplateContext = {
    isTask: (key) => tasks.has(key),
    allTasks: [...tasks.keys()],
    upstream: () => [],
  }
  for (const [key, task] of tasks) {
    compileTaskTemplates(key, presentable(task), context, (compiled, path) => {
      collect(result, compiled, path)
      result.problems.push(...checkReferences(key, compiled, path, tasks, upstream))
    })
  }
  const output = compileOutput(definition, context)
  if (output !== undefined) {
    collect(result, output, ['output'])
    result.problems.push(...unknownTasks(output, ['output'], tasks))
  }
  checkRunKey(definition, context, result)
  return result
}

function collect(result: CheckedExpressions, compiled: CompiledTemplate, path: FieldPath): void {
  result.problems.push(...compiled.problems)
  if (compiled.template.references.secrets.length > 0) result.secretPaths.push(path)
}

function checkReferences(
  key: string,
  compiled: CompiledTemplate,
  path: FieldPath,
  tasks: Tasks,
  upstream: Upstream | undefined,
): LocatedProblem[] {
  const unknown = unknownTasks(compiled, path, tasks)
  if (upstream === undefined) return unknown
  const sideways = compiled.template.references.tasks
    .filter((other) => tasks.has(other) && !upstream.has(key, other))
    .map((other) => ({
      path,
      code: 'not_upstream',
      message:
        other === key
          ? `${key} cannot refer to itself`
          : `${key} refers to ${other} but does not need it, directly or through others`,
    }))
  return [...unknown, ...sideways]
}

function unknownTasks(compiled: CompiledTemplate, path: FieldPath, tasks: Tasks): LocatedProblem[] {
  return compiled.template.references.tasks
    .filter((key) => !tasks.has(key))
    .map((key) => ({ path, code: 'unknown_task', message: `there is no task ${key}` }))
}

/** The key of a run's own limit is known before any task runs. */
function checkRunKey(definition: JsonObject, context: TemplateContext, result: CheckedExpressions): void {
  const { concurrency } = definition
  if (!isObject(concurrency) || typeof concurrency.key !== 'string') return
  const path = ['concurrency', 'key']
  const options = {
    variables: new Set(['input', 'run']),
    isTask: context.isTask,
    taskKeys: () => [],
    allowSecrets: false,
  }
  collect(result, compileTemplate(concurrency.key, options, path), path)
}

/** Parts of the wrong type have their own error from the schema. */
function presentable(
  task: JsonObject & { uses: string },
): Pick<TaskDefinition, 'uses' | 'with' | 'if' | 'concurrency' | 'rateLimit'> {
  const keyed = (value: unknown) => (isObject(value) && typeof value.key === 'string' ? { key: value.key } : undefined)
  const condition = typeof task.if === 'string' || typeof task.if === 'boolean' ? task.if : undefined
  return {
    uses: task.uses,
    ...(isObject(task.with) ? { with: task.with } : {}),
    ...(condition === undefined ? {} : { if: condition }),
    concurrency: keyed(task.concurrency) as NonNullable<TaskDefinition['concurrency']>,
    rateLimit: keyed(task.rateLimit) as NonNullable<TaskDefinition['rateLimit']>,
  }
}
