import { limits } from '../limits.js'
import type { CheckTask, Evaluated } from '../off-thread/tasks.js'
import { withBudget } from './budget.js'
import { celToJson, SizeMeter } from './cel-to-json.js'
import { type Bindings, compileExpression } from './compile-expression.js'
import { ExpressionError } from './expression-error.js'
import { jsonToCel } from './json-to-cel.js'

/** `${{ … }}` around the whole is left away, as in a condition. */
const bare = (source: string): string => /^\s*\$\{\{(.*)\}\}\s*$/s.exec(source)?.[1]?.trim() ?? source.trim()

/** An expression that belongs to no definition: no tasks, no secrets, only the variables that are named. */
export function evaluateAlone(task: Extract<CheckTask, { kind: 'evaluate' }>): Evaluated {
  const context = { variables: new Set(task.names), isTask: () => false }
  const compiled = compileExpression(bare(task.expression), context)
  const [problem] = compiled.problems
  if (problem !== undefined) return { problem }
  if (compiled.anyTask || compiled.tasks.size > 0) {
    return { problem: { code: 'unknown_variable', message: 'there is no variable "tasks" here' } }
  }
  const { variables } = task
  if (variables === undefined) return { value: null }
  const bindings: Bindings = Object.create(null)
  for (const name of task.names) bindings[name] = jsonToCel(variables[name] ?? null)
  try {
    return withBudget(limits.evaluationSteps, () => ({
      value: celToJson(compiled.run(bindings), new SizeMeter(task.maxBytes)),
    }))
  } catch (error) {
    if (error instanceof ExpressionError) return { problem: { code: error.code, message: error.message } }
    return { problem: { code: 'expression_failed', message: error instanceof Error ? error.message : String(error) } }
  }
}
