import type { FieldPath } from '../field-path.js'
import { isObject } from '../json-value.js'
import type { Scope } from './scope.js'
import type { Template } from './template.js'

export type SkipSubtree = (path: FieldPath) => boolean

/**
 * A template that is compiled when it is first needed. Expressions take about 4 µs a character to compile: those of a
 * whole definition would hold a process for seconds, and most processes that read a definition evaluate none of it.
 */
export function deferTemplate(value: unknown, make: () => Template, skip: SkipSubtree = () => false): Template {
  const expressionBytes = expressionBytesOf(value, skip, [])
  let made: Template | undefined
  const template = (): Template => {
    made ??= make()
    return made
  }
  return {
    expressionBytes,
    hasExpressions: expressionBytes > 0,
    get references() {
      return template().references
    },
    evaluate: (scope: Scope) => template().evaluate(scope),
    resolve: (scope: Scope) => template().resolve(scope),
  }
}

/** Characters of texts that hold expressions. */
export function expressionBytesOf(value: unknown, skip: SkipSubtree, path: FieldPath): number {
  if (typeof value === 'string') return value.includes('${{') ? value.length : 0
  if (typeof value !== 'object' || value === null || skip(path)) return 0
  const parts = Array.isArray(value) ? value.entries() : isObject(value) ? Object.entries(value) : []
  let bytes = 0
  for (const [key, part] of parts) bytes += expressionBytesOf(part, skip, [...path, key])
  return bytes
}
