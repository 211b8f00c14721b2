import type { Expr } from '@bufbuild/cel-spec/cel/expr/syntax_pb.js'
import { isObject } from '../json-value.js'

/** What is known of a variable's fields, as a JSON Schema. */
export type Shapes = Readonly<Record<string, unknown>>

/** The fields of `task`: what a template sees of the task it belongs to. */
export const taskShape = {
  type: 'object',
  additionalProperties: false,
  properties: { key: {}, attempt: {}, idempotencyKey: {} },
}

/** The fields of `run`. */
export const runShape = {
  type: 'object',
  additionalProperties: false,
  properties: { id: {}, workflow: {}, version: {}, priority: {}, labels: {}, createdAt: {} },
}

/** What others see of a task. */
const otherTask = { type: 'object', additionalProperties: false, properties: { output: {}, status: {}, error: {} } }

export const tasksShape = (keys: Iterable<string>) => ({
  type: 'object',
  properties: Object.fromEntries(Array.from(keys, (key) => [key, otherTask])),
})

/** With one of these a schema says more about fields than `properties` does. */
const openers = ['$ref', '$dynamicRef', 'allOf', 'anyOf', 'oneOf', 'if', 'dependentSchemas', 'patternProperties']

export interface MissingField {
  /** From the variable inwards; the last name is the field that is not there. */
  path: string[]
  known: string[]
}

/** The first field of a chain such as `input.order.total` that its variable cannot have; undefined when it may be there. */
export function missingField(expr: Expr, shapes: Shapes, bound: ReadonlySet<string>): MissingField | undefined {
  const chain = chainOf(expr)
  const [root, ...fields] = chain ?? []
  if (root === undefined || bound.has(root) || !Object.hasOwn(shapes, root)) return undefined
  let shape = shapes[root]
  for (const [depth, field] of fields.entries()) {
    if (!isObject(shape) || openers.some((name) => Object.hasOwn(shape as object, name))) return undefined
    const { properties } = shape
    const known = isObject(properties) && Object.hasOwn(properties, field)
    if (!known) {
      if (shape.additionalProperties !== false) return undefined
      return { path: [root, ...fields.slice(0, depth + 1)], known: isObject(properties) ? Object.keys(properties) : [] }
    }
    shape = properties[field]
  }
  return undefined
}

/** Names from the variable inwards, for `a.b` and `a["b"]` alike. `has(a.b)` asks whether b is there, so it is left out. */
function chainOf(expr: Expr | undefined): string[] | undefined {
  const names: string[] = []
  for (let at = expr; at !== undefined; ) {
    const kind = at.exprKind
    if (kind.case === 'identExpr') return [kind.value.name, ...names.reverse()]
    if (kind.case === 'selectExpr') {
      if (!kind.value.testOnly) names.push(kind.value.field)
      at = kind.value.operand
    } else if (kind.case === 'callExpr' && kind.value.function === '_[_]') {
      const key = kind.value.args[1]?.exprKind
      if (key?.case !== 'constExpr' || key.value.constantKind.case !== 'stringValue') return undefined
      names.push(key.value.constantKind.value)
      at = kind.value.args[0]
    } else return undefined
  }
  return undefined
}
