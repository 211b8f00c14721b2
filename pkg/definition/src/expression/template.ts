import type { FieldPath } from '../field-path.js'
import { isObject, type JsonObject, setOwn } from '../json-value.js'
import { limits } from '../limits.js'
import { EvaluationDeferred, evaluateOnce } from './allowance.js'
import { withBudget } from './budget.js'
import { celToJson, SizeMeter } from './cel-to-json.js'
import {
  type Bindings,
  type CompiledExpression,
  compileExpression,
  type ExpressionContext,
  type Problem,
} from './compile-expression.js'
import { ExpressionError } from './expression-error.js'
import { scanTemplate } from './scan.js'
import { bind, type Scope } from './scope.js'
import { type SecretPlace, secretText } from './secret-place.js'

export interface Template {
  hasExpressions: boolean
  /** Characters of the texts that hold expressions: what compiling takes is in proportion to it. */
  expressionBytes: number
  references: { tasks: string[]; secrets: string[] }
  /**
   * Throws ExpressionError and nothing else. The result may share parts with the definition: never change it. A secret
   * stays the text `${{ secrets.name }}`.
   */
  evaluate(scope: Scope): unknown
  /** As `evaluate`; also says where secrets belong. */
  resolve(scope: Scope): Resolved
}

export interface Resolved {
  value: unknown
  secrets: SecretPlace[]
}

export interface TemplateProblem extends Problem {
  path: FieldPath
}

export interface TemplateOptions extends ExpressionContext {
  /** Keys that `tasks` as a whole stands for. */
  taskKeys: () => readonly string[]
  allowSecrets: boolean
  maxBytes?: number
  /** Subtrees that are another template's business, such as the task of a map. */
  skip?: (path: FieldPath) => boolean
}

export interface CompiledTemplate {
  template: Template
  problems: TemplateProblem[]
  /** Where each task and each secret is first named. */
  taskPaths: ReadonlyMap<string, FieldPath>
  secretPaths: ReadonlyMap<string, FieldPath>
}

interface Evaluation {
  bindings: Bindings
  meter: SizeMeter
  secrets: SecretPlace[]
}

type Node = (evaluation: Evaluation) => unknown

interface Build {
  options: TemplateOptions
  /** How much of a path leads to the template itself. */
  depth: number
  problems: TemplateProblem[]
  tasks: Map<string, FieldPath>
  secrets: Map<string, FieldPath>
  expressions: number
  expressionBytes: number
}

export function compileTemplate(value: unknown, options: TemplateOptions, at: FieldPath = []): CompiledTemplate {
  const build: Build = {
    options,
    depth: at.length,
    problems: [],
    tasks: new Map(),
    secrets: new Map(),
    expressions: 0,
    expressionBytes: 0,
  }
  const node = buildNode(value, at, build)
  const { problems, tasks: taskPaths, secrets: secretPaths } = build
  return { template: toTemplate(node, build, at), problems, taskPaths, secretPaths }
}

/** A condition: `${{ … }}`, the bare expression, or a literal boolean. */
export function compileCondition(
  value: string | boolean,
  options: TemplateOptions,
  at: FieldPath = [],
): CompiledTemplate {
  const text = typeof value === 'boolean' || value.includes('${{') ? value : `\${{ ${value} }}`
  const compiled = compileTemplate(text, { ...options, allowSecrets: false }, at)
  const { template, problems } = compiled
  if (problems.length === 0 && !template.hasExpressions && typeof text !== 'boolean') {
    problems.push({ path: at, code: 'not_a_condition', message: 'a condition is one whole expression' })
  }
  const evaluate = (scope: Scope): boolean => {
    const result = template.evaluate(scope)
    if (typeof result !== 'boolean') throw new ExpressionError('not_a_boolean', 'the condition gives no boolean')
    return result
  }
  return { ...compiled, template: { ...template, evaluate } }
}

/** The same in every thread for one template of a version, one attempt and what the attempt sees of other tasks. */
function evaluationKey(at: FieldPath, { task, tasks, index, run }: Scope, named: Iterable<string>): string {
  const statuses = [...named].map((key) => (Object.hasOwn(tasks, key) ? tasks[key]?.status : undefined))
  return JSON.stringify([at, run.id, task.idempotencyKey, task.attempt, index, statuses])
}

function toTemplate(node: Node, build: Build, at: FieldPath): Template {
  const maxBytes = build.options.maxBytes ?? limits.resolvedBytes
  const evaluateNow = (scope: Scope): Resolved => {
    const secrets: SecretPlace[] = []
    try {
      const value = withBudget(limits.evaluationSteps, () =>
        node({ bindings: bind(scope, build.tasks.keys()), meter: new SizeMeter(maxBytes), secrets }),
      )
      return { value, secrets }
    } catch (error) {
      if (error instanceof ExpressionError || error instanceof EvaluationDeferred) throw error
      throw new ExpressionError('expression_failed', error instanceof Error ? error.message : String(error))
    }
  }
  const hasExpressions = build.expressions > 0
  const resolve = (scope: Scope): Resolved =>
    hasExpressions
      ? evaluateOnce(
          () => evaluationKey(at, scope, build.tasks.keys()),
          () => evaluateNow(scope),
        )
      : evaluateNow(scope)
  return {
    hasExpressions,
    expressionBytes: build.expressionBytes,
    references: { tasks: [...build.tasks.keys()], secrets: [...build.secrets.keys()] },
    evaluate: (scope) => resolve(scope).value,
    resolve,
  }
}

function buildNode(value: unknown, path: FieldPath, build: Build): Node {
  if (typeof value === 'string') return buildText(value, path, build)
  if (build.options.skip?.(path)) return constant(value)
  const before = build.expressions
  let node: Node | undefined
  if (Array.isArray(value)) {
    const items = value.map((item, index) => buildNode(item, [...path, index], build))
    node = (evaluation) => {
      evaluation.meter.add(2 + Math.max(0, items.length - 1))
      return items.map((item) => item(evaluation))
    }
  } else if (isObject(value)) node = buildObject(value, path, build)
  return node === undefined || build.expressions === before ? constant(value) : node
}

function buildObject(value: JsonObject, path: FieldPath, build: Build): Node {
  const entries = Object.keys(value).map((key) => [key, buildNode(value[key], [...path, key], build)] as const)
  return (evaluation) => {
    const object: JsonObject = {}
    for (const [key, node] of entries) {
      evaluation.meter.addJson(key)
      evaluation.meter.add(2)
      setOwn(object, key, node(evaluation))
    }
    return object
  }
}

function constant(value: unknown): Node {
  return (evaluation) => {
    evaluation.meter.addJson(value)
    return value
  }
}

const secretReference = /^secrets\s*\.\s*([A-Za-z_][A-Za-z0-9_]{0,62})$/

function buildText(text: string, path: FieldPath, build: Build): Node {
  if (!text.includes('${{')) return constant(text)
  build.expressionBytes += text.length
  if (build.expressionBytes > limits.templateExpressionBytes) return tooManyExpressions(text, path, build)
  const scanned = scanTemplate(text)
  if ('error' in scanned) {
    build.problems.push({ path, code: 'expression_syntax', message: scanned.error })
    return constant(text)
  }
  const parts = scanned.tokens.map((token) =>
    token.kind === 'text' ? token.value : buildExpression(token.value, path, build),
  )
  build.expressions++
  const [only] = parts
  if (parts.length === 1 && typeof only === 'object' && !('secret' in only)) {
    return ({ bindings, meter }) => celToJson(only.run(bindings), meter)
  }
  const place = path.slice(build.depth)
  return (evaluation) => interpolate(parts, evaluation, place)
}

function tooManyExpressions(text: string, path: FieldPath, build: Build): Node {
  if (build.problems.every(({ code }) => code !== 'too_many_expressions')) {
    const message = `expressions of one template have at most ${limits.templateExpressionBytes} characters together`
    build.problems.push({ path, code: 'too_many_expressions', message })
  }
  return constant(text)
}

interface SecretPart {
  secret: string
}

type Part = string | CompiledExpression | SecretPart

function buildExpression(source: string, path: FieldPath, build: Build): Exclude<Part, string> {
  const secret = secretReference.exec(source)?.[1]
  if (secret !== undefined && build.options.allowSecrets) {
    remember(build.secrets, secret, path)
    return { secret }
  }
  const compiled = compileExpression(source, build.options)
  for (const problem of compiled.problems) build.problems.push({ path, ...problem })
  for (const key of compiled.tasks) remember(build.tasks, key, path)
  if (compiled.anyTask) for (const key of build.options.taskKeys()) remember(build.tasks, key, path)
  return compiled
}

function remember(places: Map<string, FieldPath>, key: string, path: FieldPath): void {
  if (!places.has(key)) places.set(key, path)
}

function interpolate(parts: readonly Part[], { bindings, meter, secrets }: Evaluation, path: FieldPath): string {
  let text = ''
  for (const part of parts) {
    if (typeof part === 'string') text += part
    else if ('secret' in part) {
      secrets.push({ path, at: text.length, name: part.secret })
      text += secretText(part.secret)
    } else text += asText(celToJson(part.run(bindings), meter))
  }
  meter.addJson(text)
  return text
}

const asText = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value))
