import type { Route, RouteMatch } from './types.js'

interface Entry {
  readonly route: Route
  readonly names: readonly string[]
}

type Leaf = Map<string, Entry>

interface Node {
  readonly literals: Map<string, Node>
  parameter?: Node
  leaf?: Leaf
  rest?: Leaf
}

interface Found {
  readonly leaf: Leaf
  readonly values: readonly string[]
}

export interface Matcher {
  /** `path` has no query. HEAD finds the GET route. A segment that is no valid percent encoding matches nothing. */
  match(method: string, path: string): RouteMatch | undefined
  /** The methods a path knows; empty for an unknown path. */
  methods(path: string): string[]
}

const newNode = (): Node => ({ literals: new Map() })

export function createMatcher(routes: readonly Route[]): Matcher {
  const root = newNode()
  for (const route of routes) insert(root, route)
  return {
    match(method, path) {
      const found = find(root, path.split('/'), 1, [])
      const entry = found?.leaf.get(method === 'HEAD' ? 'GET' : method)
      if (!found || !entry) return undefined
      const params: Record<string, string> = {}
      for (const [index, name] of entry.names.entries()) {
        const value = decodeSegment(found.values[index] ?? '')
        if (value === undefined) return undefined
        params[name] = value
      }
      return { route: entry.route, params }
    },
    methods(path) {
      const known = [...(find(root, path.split('/'), 1, [])?.leaf.keys() ?? [])]
      return known.includes('GET') ? [...known, 'HEAD'] : known
    },
  }
}

function insert(root: Node, route: Route): void {
  const names: string[] = []
  let node = root
  for (const segment of route.path.split('/').slice(1)) {
    if (segment.endsWith('+}')) {
      names.push(segment.slice(1, -2))
      node.rest ??= new Map()
      register(node.rest, route, names)
      return
    }
    if (segment.startsWith('{')) {
      names.push(segment.slice(1, -1))
      node.parameter ??= newNode()
      node = node.parameter
      continue
    }
    const next = node.literals.get(segment) ?? newNode()
    node.literals.set(segment, next)
    node = next
  }
  node.leaf ??= new Map()
  register(node.leaf, route, names)
}

function register(leaf: Leaf, route: Route, names: readonly string[]): void {
  const taken = leaf.get(route.method)?.route
  if (taken) throw new Error(`${taken.operationId} and ${route.operationId} share ${route.method} ${route.path}`)
  leaf.set(route.method, { route, names })
}

/**
 * A literal wins over a parameter, a parameter over the rest, whatever the method, as in OpenAPI; the search goes back when
 * the better branch ends nowhere.
 */
function find(node: Node, segments: readonly string[], at: number, values: string[]): Found | undefined {
  const segment = segments[at]
  if (segment === undefined) return node.leaf && { leaf: node.leaf, values }
  const literal = node.literals.get(segment)
  const byLiteral = literal && find(literal, segments, at + 1, values)
  if (byLiteral) return byLiteral
  const byParameter = node.parameter && segment !== '' && find(node.parameter, segments, at + 1, [...values, segment])
  return byParameter || (node.rest && { leaf: node.rest, values: [...values, segments.slice(at).join('/')] })
}

function decodeSegment(segment: string): string | undefined {
  if (!segment.includes('%')) return segment
  try {
    return decodeURIComponent(segment)
  } catch {
    return undefined
  }
}
