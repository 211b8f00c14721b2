import type { GatewayRoute } from './gateway-config.js'

export type RouteTable = (method: string, path: string) => GatewayRoute | undefined

interface Placed {
  readonly order: number
  readonly route: GatewayRoute
}

/** The first entry that matches wins, as in Envoy; exact paths are found without walking the list. */
export function createRouteTable(routes: readonly GatewayRoute[]): RouteTable {
  const exact = new Map<string, Placed[]>()
  const others: Placed[] = []
  for (const [order, route] of routes.entries()) {
    if (route.path.kind !== 'exact') others.push({ order, route })
    else exact.set(route.path.value, [...(exact.get(route.path.value) ?? []), { order, route }])
  }
  return (method, path) => {
    const literal = exact.get(path)?.find(({ route }) => acceptsMethod(route, method))
    const before = literal?.order ?? Number.POSITIVE_INFINITY
    for (const { order, route } of others) {
      if (order > before) break
      if (acceptsMethod(route, method) && acceptsPath(route, path)) return route
    }
    return literal?.route
  }
}

const acceptsMethod = ({ methods }: GatewayRoute, method: string) => methods === undefined || methods.test(method)

function acceptsPath({ path }: GatewayRoute, target: string): boolean {
  if (path.kind === 'regex') return target.startsWith(path.literal) && path.value.test(target)
  return target.startsWith(path.value)
}
