import type { FieldPath } from '../field-path.js'
import { isObject, type JsonObject } from '../json-value.js'
import { limits } from '../limits.js'
import type { LocatedProblem } from './check-schema.js'
import { resolveReference } from './schema-cost.js'

// Keywords whose value is data, not a schema.
const data = new Set(['const', 'enum', 'default', 'examples'])

/**
 * A user's schema may refer only into itself, and following every reference must stay small: `allOf` of two references
 * to a schema that does the same, thirty times over, is a billion checks in a kilobyte. One way back to an enclosing
 * schema is allowed (a tree); two would double the work at each level of the input.
 */
export function checkReferences(schema: JsonObject): LocatedProblem[] {
  const problems = forbidden(schema)
  if (problems.length > 0) return problems
  const expansion = { size: 0, loops: 0, root: schema }
  expand(schema, expansion, [])
  if (expansion.size > limits.inputSchemaExpanded) {
    return [
      {
        path: [],
        code: 'schema_too_complex',
        message: `a schema has at most ${limits.inputSchemaExpanded} parts once its references are followed`,
      },
    ]
  }
  if (expansion.loops > 1) {
    return [{ path: [], code: 'schema_too_complex', message: 'a schema may refer back to itself in one place only' }]
  }
  return []
}

function forbidden(root: JsonObject): LocatedProblem[] {
  const problems: LocatedProblem[] = []
  walkSchema(root, [], (node, path) => {
    for (const keyword of ['$dynamicRef', '$recursiveRef', '$async', '$dynamicAnchor', '$anchor']) {
      if (Object.hasOwn(node, keyword))
        problems.push({ path: [...path, keyword], code: 'unsupported_schema', message: `${keyword} is not supported` })
    }
    if (path.length > 0 && Object.hasOwn(node, '$id')) {
      problems.push({ path: [...path, '$id'], code: 'unsupported_schema', message: '$id stands only at the top' })
    }
    if (!Object.hasOwn(node, '$ref')) return
    const target = node.$ref
    if (typeof target !== 'string' || !target.startsWith('#')) {
      problems.push({
        path: [...path, '$ref'],
        code: 'remote_ref',
        message: 'a reference must start with # and stay within the schema',
      })
    } else if (resolveReference(root, target) === undefined) {
      problems.push({ path: [...path, '$ref'], code: 'unknown_ref', message: `there is nothing at ${target}` })
    }
  })
  return problems
}

/** Every part of a schema that may be one itself, data left out. */
export function walkSchema(node: unknown, path: FieldPath, visit: (node: JsonObject, path: FieldPath) => void): void {
  if (Array.isArray(node)) for (const [index, item] of node.entries()) walkSchema(item, [...path, index], visit)
  if (!isObject(node)) return
  visit(node, path)
  for (const key of Object.keys(node)) if (!data.has(key)) walkSchema(node[key], [...path, key], visit)
}

interface Expansion {
  size: number
  loops: number
  root: JsonObject
}

function expand(node: unknown, expansion: Expansion, stack: readonly unknown[]): void {
  if (expansion.size > limits.inputSchemaExpanded) return
  if (Array.isArray(node)) for (const item of node) expand(item, expansion, stack)
  if (!isObject(node)) return
  if (stack.includes(node)) {
    expansion.loops++
    return
  }
  expansion.size++
  const deeper = [...stack, node]
  for (const key of Object.keys(node)) {
    if (key === '$ref') expand(resolveReference(expansion.root, String(node.$ref)), expansion, deeper)
    // Definitions cost only where they are referred to.
    else if (key !== '$defs' && key !== 'definitions' && !data.has(key)) expand(node[key], expansion, deeper)
  }
}
