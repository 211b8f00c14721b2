import { type CelInput, type CelResult, isCelError, parse, plan } from '@bufbuild/cel'
import type { Expr } from '@bufbuild/cel-spec/cel/expr/syntax_pb.js'
import { utf8Bytes } from '../json-value.js'
import { limits } from '../limits.js'
import { EvaluationDeferred } from './allowance.js'
import { ExpressionError } from './expression-error.js'
import { environment } from './functions.js'
import { inspect } from './inspect.js'
import type { Shapes } from './known-shape.js'
import { rewriteOptionals } from './optional-syntax.js'
import { quoteTaskKeys } from './scan.js'

export interface Problem {
  code: string
  message: string
}

export type Bindings = Record<string, CelInput>

export interface CompiledExpression {
  source: string
  tasks: ReadonlySet<string>
  anyTask: boolean
  problems: Problem[]
  run(bindings: Bindings): CelResult
}

export interface ExpressionContext {
  variables: ReadonlySet<string>
  /** Where it is known which fields a variable has. */
  shapes?: Shapes
  isTask(key: string): boolean
}

export function compileExpression(source: string, context: ExpressionContext): CompiledExpression {
  if (source === '') return broken(source, 'expression_syntax', 'the expression is empty')
  if (utf8Bytes(source) > limits.expressionBytes) {
    return broken(source, 'expression_too_long', `an expression is at most ${limits.expressionBytes} bytes`)
  }
  if (nestingOf(source) > maxNesting) {
    return broken(source, 'expression_syntax', 'the expression cannot be read: it is nested too deeply')
  }
  try {
    const parsed = parse(rewriteOptionals(quoteTaskKeys(source, context.isTask)))
    const inspection = inspect(parsed.expr as Expr, context.variables, context.shapes)
    const evaluate = plan(environment, parsed)
    return { source, ...inspection, run: (bindings) => unwrap(evaluate(bindings)) }
  } catch (error) {
    // A RangeError is the parser's or planner's stack, exhausted by nesting.
    const detail = error instanceof RangeError ? 'it is nested too deeply' : messageOf(error).replace(/^<input>:/, '')
    return broken(source, 'expression_syntax', `the expression cannot be read: ${detail}`)
  }
}

/** The parser recurses into brackets; at the end of its stack V8 may abort the process in place of throwing. */
const maxNesting = 100

/** Brackets open at once, at most; those in quotes count too, which only an expression made for it would notice. */
function nestingOf(source: string): number {
  let open = 0
  let most = 0
  for (const character of source) {
    if ('([{'.includes(character)) most = Math.max(most, ++open)
    else if (')]}'.includes(character)) open -= 1
  }
  return most
}

function broken(source: string, code: string, message: string): CompiledExpression {
  return {
    source,
    tasks: new Set(),
    anyTask: false,
    problems: [{ code, message }],
    run() {
      throw new ExpressionError(code, message)
    },
  }
}

function unwrap(result: CelResult): CelResult {
  if (!isCelError(result)) return result
  for (let cause: unknown = result; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof ExpressionError || cause instanceof EvaluationDeferred) throw cause
  }
  throw new ExpressionError('expression_failed', result.message)
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
