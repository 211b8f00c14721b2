import type { Expr } from '@bufbuild/cel-spec/cel/expr/syntax_pb.js'
import { limits } from '../limits.js'
import { compilePattern, PatternError } from '../pattern/user-pattern.js'
import { hasFunction } from './functions.js'
import { missingField, type Shapes } from './known-shape.js'

export interface Inspection {
  /** Keys named as `tasks.key` or `tasks["key"]`. */
  tasks: Set<string>
  /** `tasks` used as a value, or indexed by something only known later. */
  anyTask: boolean
  problems: { code: string; message: string }[]
}

interface Walk extends Inspection {
  variables: ReadonlySet<string>
  shapes: Shapes
  comprehensions: number
  seen: Set<string>
}

const typeNames = new Set(
  'bool bytes double duration dyn google int list map null_type string timestamp type uint'.split(' '),
)
const operator = /^[^A-Za-z]|^@/

/** Everything about an expression that can be known before it runs. */
export function inspect(expr: Expr, variables: ReadonlySet<string>, shapes: Shapes = {}): Inspection {
  const found: Inspection = { tasks: new Set(), anyTask: false, problems: [] }
  const walk: Walk = { ...found, variables, shapes, comprehensions: 0, seen: new Set() }
  visit(expr, walk, new Set(), false)
  if (walk.comprehensions > limits.comprehensions) {
    report(walk, 'too_many_comprehensions', `an expression may hold at most ${limits.comprehensions} comprehensions`)
  }
  return { tasks: walk.tasks, anyTask: walk.anyTask, problems: walk.problems }
}

function report(walk: Walk, code: string, message: string): void {
  if (walk.seen.has(message)) return
  walk.seen.add(message)
  walk.problems.push({ code, message })
}

function visit(expr: Expr | undefined, walk: Walk, bound: ReadonlySet<string>, inLoop: boolean): void {
  if (expr === undefined) return
  checkFields(expr, walk, bound)
  const kind = expr.exprKind
  switch (kind.case) {
    case 'identExpr':
      visitName(kind.value.name, walk, bound)
      return
    case 'selectExpr':
      if (isTasksRoot(kind.value.operand, bound)) walk.tasks.add(kind.value.field)
      else visit(kind.value.operand, walk, bound, inLoop)
      return
    case 'callExpr':
      visitCall(kind.value, walk, bound, inLoop)
      return
    case 'listExpr':
      for (const item of kind.value.elements) visit(item, walk, bound, inLoop)
      return
    case 'structExpr':
      for (const entry of kind.value.entries) {
        if (entry.keyKind.case === 'mapKey') visit(entry.keyKind.value, walk, bound, inLoop)
        visit(entry.value, walk, bound, inLoop)
      }
      return
    case 'comprehensionExpr':
      visitComprehension(kind.value, walk, bound, inLoop)
      return
    default:
      return
  }
}

function checkFields(expr: Expr, walk: Walk, bound: ReadonlySet<string>): void {
  const missing = missingField(expr, walk.shapes, bound)
  if (missing === undefined) return
  const { path, known } = missing
  const field = path.at(-1)
  const fields = known.length > 0 && known.length <= 20 ? `; it has ${known.join(', ')}` : ''
  const hint = path[0] === 'task' ? `; another task is tasks.${field}` : fields
  report(walk, 'unknown_field', `${path.slice(0, -1).join('.')} has no field ${field}${hint}`)
}

function visitName(name: string, walk: Walk, bound: ReadonlySet<string>): void {
  const root = name.split('.')[0] as string
  if (bound.has(root) || typeNames.has(root)) return
  if (root === 'tasks' && walk.variables.has('tasks')) walk.anyTask = true
  else if (root === 'secrets') {
    report(
      walk,
      'secret_misplaced',
      `a secret stands only as \${{ secrets.name }} within a string of with, in a task that a worker executes`,
    )
  } else if (!walk.variables.has(root)) report(walk, 'unknown_variable', `there is no variable ${name} here`)
}

const isTasksRoot = (expr: Expr | undefined, bound: ReadonlySet<string>): boolean =>
  expr?.exprKind.case === 'identExpr' && expr.exprKind.value.name === 'tasks' && !bound.has('tasks')

type Call = Extract<Expr['exprKind'], { case: 'callExpr' }>['value']

function visitCall(call: Call, walk: Walk, bound: ReadonlySet<string>, inLoop: boolean): void {
  if (call.function === '_[_]' && isTasksRoot(call.args[0], bound)) {
    const key = call.args[1]?.exprKind
    if (key?.case === 'constExpr' && key.value.constantKind.case === 'stringValue') {
      walk.tasks.add(key.value.constantKind.value)
      return
    }
  }
  // `tasks.?key`, as optional-syntax.ts writes it.
  const [only] = call.args
  if (call.function === 'opt' && isTasksRoot(call.target, bound) && only?.exprKind.case === 'constExpr') {
    const { constantKind } = only.exprKind.value
    if (constantKind.case === 'stringValue') walk.tasks.add(constantKind.value)
    return
  }
  const qualified = call.target && qualifiedName(call.target)
  if (qualified !== undefined && hasFunction(`${qualified}.${call.function}`)) {
    for (const arg of call.args) visit(arg, walk, bound, inLoop)
    return
  }
  if (!operator.test(call.function) && !hasFunction(call.function)) {
    report(walk, 'unknown_function', `there is no function ${call.function}`)
  }
  if (call.function === 'matches') checkPattern(call.args.at(-1), walk)
  visit(call.target, walk, bound, inLoop)
  for (const arg of call.args) visit(arg, walk, bound, inLoop)
}

/** A pattern that is written out is refused where it stands; any other when it is met. */
function checkPattern(arg: Expr | undefined, walk: Walk): void {
  const kind = arg?.exprKind
  if (kind?.case !== 'constExpr' || kind.value.constantKind.case !== 'stringValue') return
  try {
    compilePattern(kind.value.constantKind.value)
  } catch (error) {
    if (!(error instanceof PatternError)) throw error
    report(walk, error.code, error.message)
  }
}

function qualifiedName(expr: Expr): string | undefined {
  const kind = expr.exprKind
  return kind.case === 'identExpr' ? kind.value.name : undefined
}

type Comprehension = Extract<Expr['exprKind'], { case: 'comprehensionExpr' }>['value']

/** A chain (`a.filter(…).map(…)`) runs one loop after the other; only the loop's own body multiplies. */
function visitComprehension(value: Comprehension, walk: Walk, bound: ReadonlySet<string>, inLoop: boolean): void {
  walk.comprehensions++
  if (inLoop) report(walk, 'nested_comprehension', 'a comprehension may not stand inside another')
  visit(value.iterRange, walk, bound, inLoop)
  visit(value.accuInit, walk, bound, inLoop)
  const inner = new Set([...bound, value.accuVar, value.iterVar, ...(value.iterVar2 ? [value.iterVar2] : [])])
  visit(value.loopCondition, walk, inner, true)
  visit(value.loopStep, walk, inner, true)
  visit(value.result, walk, inner, inLoop)
}
