import type { FieldPath, PathSegment } from '../field-path.js'
import { limits } from '../limits.js'
import type { LocatedProblem } from './check-schema.js'

/** A path is only written out for a problem: copied for each value, a deep list of many items would cost its square. */
interface Place {
  value: unknown
  segment: PathSegment
  parent: Place | undefined
  depth: number
}

/** Walks without recursion: depth is exactly what is not yet known to be safe. */
export function checkBounds(value: unknown, maxDepth: number = limits.definitionDepth): LocatedProblem[] {
  const problems: LocatedProblem[] = []
  const report = (place: Place, code: string, message: string): void => {
    if (problems.length < limits.errors) problems.push({ path: pathOf(place), code, message })
  }
  const open: Place[] = [{ value, segment: '', parent: undefined, depth: 0 }]
  let nodes = 0
  for (let place = open.pop(); place !== undefined; place = open.pop()) {
    if (++nodes > limits.definitionNodes) {
      return [{ path: [], code: 'too_many_values', message: `has more than ${limits.definitionNodes} values` }]
    }
    const { value: current, depth } = place
    if (typeof current !== 'object' || current === null) {
      const fault = faultOfScalar(current)
      if (fault !== undefined) report(place, 'not_json', fault)
      continue
    }
    if (depth >= maxDepth) {
      const path = pathOf(place).slice(0, 10)
      return [{ path, code: 'too_deep', message: `is nested deeper than ${maxDepth} levels` }]
    }
    if (!Array.isArray(current) && Object.hasOwn(current, '__proto__')) {
      const named = { value: undefined, segment: '__proto__', parent: place, depth: depth + 1 }
      report(named, 'forbidden_key', 'the name __proto__ is not allowed')
    }
    for (const part of partsOf(current, place)) open.push(part)
  }
  return problems
}

function faultOfScalar(value: unknown): string | undefined {
  if (typeof value === 'number') return Number.isFinite(value) ? undefined : 'must be a finite number'
  return value === null || typeof value === 'string' || typeof value === 'boolean' ? undefined : 'must be a JSON value'
}

function* partsOf(value: object, parent: Place): Generator<Place> {
  const depth = parent.depth + 1
  if (Array.isArray(value)) for (const [segment, item] of value.entries()) yield { value: item, segment, parent, depth }
  else for (const [segment, item] of Object.entries(value)) yield { value: item, segment, parent, depth }
}

function pathOf(place: Place): FieldPath {
  const path: PathSegment[] = []
  for (let at = place; at.parent !== undefined; at = at.parent) path.push(at.segment)
  return path.reverse()
}
