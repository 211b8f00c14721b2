import { consoleTokenPath, guardedPattern } from './console-paths.js'
import { routes } from './table.js'
import type { Route, ServiceName } from './types.js'

/** One entry of the gateway's table, in the order in which Envoy tries them. */
export interface EnvoyRoute {
  readonly name: string
  readonly match: { readonly path: string } | { readonly regex: string } | { readonly prefix: string }
  /** Absent: any method. */
  readonly methods?: readonly string[]
  readonly cluster: ServiceName
  readonly open: boolean
  /** Answers may last for hours. */
  readonly stream: boolean
  /** Uploads of any size pass through. */
  readonly unlimitedBody: boolean
}

/**
 * Open routes are exempt for their own methods alone, so any other method at the same path still needs an identity.
 * Guarded paths take all methods: the service itself answers 405. What nobody knows goes, guarded, to workflow; outside
 * the API's own paths GET and HEAD are open, for they ask for the console.
 */
export function buildEnvoyRoutes(): EnvoyRoute[] {
  const paths = [...new Set(routes.map((route) => route.path))]
  const entries = paths.flatMap((path) =>
    entriesOf(
      path,
      routes.filter((route) => route.path === path),
    ),
  )
  const literal = entries.filter((entry) => 'path' in entry.match)
  const patterns = entries.filter((entry) => 'regex' in entry.match).toSorted(bySpecificity)
  return [...literal, ...patterns, ...catchAll]
}

const toWorkflow = { cluster: 'workflow', stream: false, unlimitedBody: false } as const
const toConsole = { ...toWorkflow, methods: ['GET', 'HEAD'], open: true } as const

const catchAll: readonly EnvoyRoute[] = [
  { ...toWorkflow, name: 'unknown-api', match: { regex: guardedPattern }, open: false },
  { ...toConsole, name: 'console-token', match: { regex: `${consoleTokenPath}[^/]+` } },
  { ...toConsole, name: 'console', match: { prefix: '/' } },
  { ...toWorkflow, name: 'unknown', match: { prefix: '/' }, open: false },
]

function entriesOf(path: string, group: readonly Route[]): EnvoyRoute[] {
  const open = group.filter((route) => route.access === 'open')
  const guarded = group.filter((route) => route.access !== 'open')
  const exempt = open.map((route) => ({
    ...common(path, [route]),
    name: route.operationId,
    methods: route.method === 'GET' ? ['GET', 'HEAD'] : [route.method],
    open: true,
  }))
  const streaming = guarded.filter((route) => isLong(route))
  const plain = guarded.filter((route) => !isLong(route))
  const long = streaming.map((route) => ({
    ...common(path, [route]),
    name: route.operationId,
    methods: route.method === 'GET' ? ['GET', 'HEAD'] : [route.method],
    open: false,
  }))
  const rest = { ...common(path, plain), name: path, cluster: serviceOf(group), open: false }
  return [...exempt, ...long, rest]
}

const isLong = (route: Route) => route.stream !== undefined || route.body?.binary === true

function common(path: string, group: readonly Route[]): Omit<EnvoyRoute, 'name' | 'open'> {
  return {
    match: path.includes('{') ? { regex: regexOf(path) } : { path },
    cluster: serviceOf(group),
    stream: group.some((route) => route.stream !== undefined),
    unlimitedBody: group.some((route) => route.body?.binary === true),
  }
}

function serviceOf(group: readonly Route[]): ServiceName {
  const services = new Set(group.map((route) => route.service))
  if (services.size > 1) throw new Error(`${group[0]?.path} belongs to ${[...services].join(' and ')}`)
  return group[0]?.service ?? 'workflow'
}

function regexOf(path: string): string {
  return path
    .split('/')
    .map((segment) => {
      if (segment.endsWith('+}')) return '.*'
      return segment.startsWith('{') ? '[^/]+' : segment.replaceAll('.', '\\.')
    })
    .join('/')
}

/** A literal segment before a parameter, as in the services' own matcher. */
function bySpecificity(a: EnvoyRoute, b: EnvoyRoute): number {
  const rank = (entry: EnvoyRoute) =>
    'regex' in entry.match ? entry.match.regex.replaceAll('[^/]+', '\uffff').replaceAll('.*', '\uffff\uffff') : ''
  const [left, right] = [rank(a), rank(b)]
  return left < right ? -1 : left > right ? 1 : 0
}
