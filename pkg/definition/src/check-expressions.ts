import type { TaskDefinition } from './definition.js'
import { runShape, taskShape, tasksShape } from './expression/known-shape.js'
import type { CompiledTemplate } from './expression/template.js'
import type { FieldPath } from './field-path.js'
import type { Upstream } from './graph/check-graph.js'
import { isObject, type JsonObject } from './json-value.js'
import { limits } from './limits.js'
import type { LocatedProblem } from './schema/check-schema.js'
import { compileOutput, compileRunKey, compileTaskTemplates, type TemplateContext } from './task-templates.js'

export interface CheckedExpressions {
  problems: LocatedProblem[]
  secretPaths: FieldPath[]
  /** Characters of texts with expressions. */
  bytes: number
}

type Tasks = ReadonlyMap<string, JsonObject & { uses: string }>

export function checkExpressions(
  definition: JsonObject,
  tasks: Tasks,
  upstream: Upstream | undefined,
  compensations: Tasks = new Map(),
): CheckedExpressions {
  const result: CheckedExpressions = { problems: [], secretPaths: [], bytes: 0 }
  const context: TemplateContext = {
    isTask: (key) => tasks.has(key),
    allTasks: [...tasks.keys()],
    upstream: () => [],
    shapes: {
      ...{ run: runShape, task: taskShape, tasks: tasksShape(tasks.keys()) },
      ...(isObject(definition.input) ? { input: definition.input } : {}),
    },
  }
  for (const [key, task] of tasks) {
    compileTaskTemplates(key, presentable(task), context, (compiled) => {
      collect(result, compiled)
      result.problems.push(...unknownTasks(compiled, tasks), ...sidewaysTasks(key, compiled, tasks, upstream))
    })
  }
  for (const [key, task] of compensations) {
    compileTaskTemplates(key, presentable(task), context, (compiled) => {
      collect(result, compiled)
      result.problems.push(...unknownTasks(compiled, tasks))
    })
  }
  const output = compileOutput(definition, context)
  if (output !== undefined) {
    collect(result, output)
    result.problems.push(...unknownTasks(output, tasks))
  }
  checkRunKey(definition, context, result)
  if (result.bytes > limits.definitionExpressionBytes) {
    const message = `expressions of a definition have at most ${limits.definitionExpressionBytes} characters together`
    result.problems.push({ path: [], code: 'too_many_expressions', message })
  }
  return result
}

function collect(result: CheckedExpressions, compiled: CompiledTemplate): void {
  // Neither is spread into a call: a definition may have more of them than a call takes arguments.
  for (const problem of compiled.problems) result.problems.push(problem)
  result.bytes += compiled.template.expressionBytes
  result.secretPaths.push(...compiled.secretPaths.values())
}

function unknownTasks({ taskPaths }: CompiledTemplate, tasks: Tasks): LocatedProblem[] {
  return [...taskPaths]
    .filter(([key]) => !tasks.has(key))
    .map(([key, path]) => ({ path, code: 'unknown_task', message: `there is no task ${key}` }))
}

function sidewaysTasks(
  key: string,
  { taskPaths }: CompiledTemplate,
  tasks: Tasks,
  upstream: Upstream | undefined,
): LocatedProblem[] {
  if (upstream === undefined) return []
  return [...taskPaths]
    .filter(([other]) => tasks.has(other) && !upstream.has(key, other))
    .map(([other, path]) => ({
      path,
      code: 'not_upstream',
      message:
        other === key
          ? `${key} cannot refer to itself`
          : `${key} refers to ${other} but does not need it, directly or through others`,
    }))
}

function checkRunKey(definition: JsonObject, context: TemplateContext, result: CheckedExpressions): void {
  const { concurrency } = definition
  const key = isObject(concurrency) && typeof concurrency.key === 'string' ? concurrency.key : undefined
  const compiled = compileRunKey(key, context)
  if (!compiled) return
  collect(result, compiled)
  for (const path of compiled.taskPaths.values()) {
    result.problems.push({ path, code: 'not_upstream', message: 'the key of a run is known before any of its tasks' })
  }
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
