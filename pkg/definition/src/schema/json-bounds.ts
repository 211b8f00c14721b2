import type { FieldPath } from '../field-path.js'
import { limits } from '../limits.js'
import type { LocatedProblem } from './check-schema.js'

/** Walks without recursion: depth is exactly what is not yet known to be safe. */
export function checkBounds(value: unknown, maxDepth: number = limits.definitionDepth): LocatedProblem[] {
  const problems: LocatedProblem[] = []
  const open: { value: unknown; path: FieldPath }[] = [{ value, path: [] }]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { value: current, path } = next
    if (typeof current === 'number' && !Number.isFinite(current)) {
      problems.push({ path, code: 'not_json', message: 'must be a finite number' })
    }
    if (typeof current !== 'object' || current === null) {
      if (
        current === undefined ||
        typeof current === 'bigint' ||
        typeof current === 'function' ||
        typeof current === 'symbol'
      ) {
        problems.push({ path, code: 'not_json', message: 'must be a JSON value' })
      }
      continue
    }
    if (path.length >= maxDepth) {
      return [{ path: path.slice(0, 10), code: 'too_deep', message: `is nested deeper than ${maxDepth} levels` }]
    }
    if (Array.isArray(current)) {
      for (const [index, item] of current.entries()) open.push({ value: item, path: [...path, index] })
    } else {
      for (const [key, item] of Object.entries(current)) {
        if (key === '__proto__')
          problems.push({ path: [...path, key], code: 'forbidden_key', message: 'the name __proto__ is not allowed' })
        open.push({ value: item, path: [...path, key] })
      }
    }
  }
  return problems
}
