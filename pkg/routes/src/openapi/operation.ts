import type { JsonSchema, Route, RouteResponse } from '../types.js'
import { problemNames } from './components.js'

const ref = (kind: string, name: string): JsonSchema => ({ $ref: `#/components/${kind}/${name}` })

const streamTypes: Record<NonNullable<Route['stream']>, readonly string[]> = {
  sse: ['text/event-stream'],
  ndjson: ['application/x-ndjson', 'text/event-stream'],
  binary: ['application/octet-stream'],
}

export function operationOf(route: Route): JsonSchema {
  return {
    operationId: route.operationId,
    summary: route.summary,
    description: accessNote(route),
    tags: [route.tag],
    security: route.access === 'open' ? [] : [{ bearer: [] }],
    parameters: parametersOf(route),
    ...(route.body ? { requestBody: requestBodyOf(route) } : {}),
    responses: responsesOf(route),
  }
}

function accessNote({ access, workers }: Route): string {
  if (access === 'open') return 'Open: no token is needed.'
  if (access === 'user') return 'Any authenticated caller.'
  if (access === 'admin') return 'Platform administrators only.'
  return `Role: ${access} or above${workers ? ', or a worker that holds a lease of the run' : ''}.`
}

function parametersOf(route: Route): JsonSchema[] {
  const named = [...route.path.matchAll(/\{([A-Za-z]+)\+?\}/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }))
  const query = Object.entries(route.query ?? {}).map(([name, schema]) => ({
    ...{ name, in: 'query', schema },
    ...(route.requiredQuery?.includes(name) ? { required: true } : {}),
    // Several values stand in one parameter, separated by commas.
    ...(schema.type === 'array' ? { style: 'form', explode: false } : {}),
  }))
  return [
    ...named,
    ...query,
    ...(route.list ? [ref('parameters', 'Limit'), ref('parameters', 'Cursor')] : []),
    ...(route.idempotent ? [ref('parameters', 'IdempotencyKey')] : []),
    ...(route.access === 'open' || route.access === 'admin' ? [] : [ref('parameters', 'Project')]),
  ]
}

function requestBodyOf({ body }: Route): JsonSchema {
  const types = body?.contentTypes ?? (body?.binary ? ['application/octet-stream'] : ['application/json'])
  const media = body?.binary || !body?.schema ? {} : { schema: body.schema }
  return { required: body?.required !== false, content: Object.fromEntries(types.map((type) => [type, media])) }
}

function responsesOf(route: Route): JsonSchema {
  const own = Object.entries(route.responses).map(([status, response]) => [
    status,
    responseOf(response, Number(status), route),
  ])
  const problems = problemStatuses(route)
    .filter((status) => route.responses[status] === undefined)
    .map((status) => [String(status), ref('responses', problemNames[status] ?? 'Internal')])
  return Object.fromEntries([...own, ...problems])
}

function responseOf(response: RouteResponse, status: number, { stream, idempotent }: Route): JsonSchema {
  const success = status >= 200 && status < 300
  const types = response.contentType
    ? [response.contentType]
    : stream && !response.schema && success
      ? streamTypes[stream]
      : ['application/json']
  const described =
    response.schema !== undefined || response.contentType !== undefined || (stream !== undefined && success)
  const media = response.schema ? { schema: response.schema } : {}
  return {
    description: response.description,
    ...(idempotent && success ? { headers: replayedHeader } : {}),
    ...(described && status !== 204 ? { content: Object.fromEntries(types.map((type) => [type, media])) } : {}),
  }
}

const replayedHeader = {
  'Idempotency-Replayed': { description: 'The first answer, given again', schema: { type: 'string', const: 'true' } },
}

function problemStatuses(route: Route): number[] {
  const guarded = route.access !== 'open'
  const typedBody = route.body && !route.body.binary
  return [
    400,
    ...(guarded ? [401] : []),
    ...(guarded && route.access !== 'user' ? [403] : []),
    ...(guarded || route.path.includes('{') ? [404] : []),
    ...(route.method === 'GET' ? [] : [409]),
    ...(route.body ? [413] : []),
    ...(typedBody ? [415] : []),
    ...(typedBody || route.list || route.query ? [422] : []),
    429,
    500,
    503,
  ]
}
