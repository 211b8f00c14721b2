import { type CelInput, type CelResult, isCelError, parse, plan } from '@bufbuild/cel'
import type { Expr } from '@bufbuild/cel-spec/cel/expr/syntax_pb.js'
import { utf8Bytes } from '../json-value.js'
import { limits } from '../limits.js'
import { ExpressionError } from './expression-error.js'
import { environment } from './functions.js'
import { inspect } from './inspect.js'
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
  isTask(key: string): boolean
}

export function compileExpression(source: string, context: ExpressionContext): CompiledExpression {
  if (source === '') return broken(source, 'expression_syntax', 'the expression is empty')
  if (utf8Bytes(source) > limits.expressionBytes) {
    return broken(source, 'expression_too_long', `an expression is at most ${limits.expressionBytes} bytes`)
  }
  try {
    const parsed = parse(quoteTaskKeys(source, context.isTask))
    const inspection = inspect(parsed.expr as Expr, context.variables)
    const evaluate = plan(environment, parsed)
    return { source, ...inspection, run: (bindings) => unwrap(evaluate(bindings)) }
  } catch (error) {
    // A RangeError is the parser's or planner's stack, exhausted by nesting.
    const detail = error instanceof RangeError ? 'it is nested too deeply' : messageOf(error).replace(/^<input>:/, '')
    return broken(source, 'expression_syntax', `the expression cannot be read: ${detail}`)
  }
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
    if (cause instanceof ExpressionError) throw cause
  }
  throw new ExpressionError('expression_failed', result.message)
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
