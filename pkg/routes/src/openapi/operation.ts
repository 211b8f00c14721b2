import type { JsonSchema, Route, RouteResponse } from '../types.js'
import { problemNames } from './components.js'
import { describePathParameter, describeQueryParameter } from './parameter-descriptions.js'
import type { References } from './references.js'
import { requestExamples } from './request-examples.js'
import { sampleOf } from './sample.js'

const ref = (kind: string, name: string): JsonSchema => ({ $ref: `#/components/${kind}/${name}` })

const streamTypes: Record<NonNullable<Route['stream']>, readonly string[]> = {
  sse: ['text/event-stream'],
  ndjson: ['application/x-ndjson', 'text/event-stream'],
  // Whatever the uploader said that it is.
  binary: ['*/*'],
}

export function operationOf(route: Route, references: References): JsonSchema {
  return {
    operationId: route.operationId,
    summary: route.summary,
    description: descriptionOf(route),
    tags: [route.tag],
    security: route.access === 'open' ? [] : [{ bearer: [] }],
    parameters: parametersOf(route),
    ...(route.body ? { requestBody: requestBodyOf(route, references) } : {}),
    responses: responsesOf(route, references),
  }
}

function descriptionOf(route: Route): string {
  const sentences = [`${route.summary}.`, accessNote(route)]
  if (route.idempotent) sentences.push('Repeat it safely with an `Idempotency-Key`.')
  if (route.list) sentences.push('Answers a page; `nextCursor` asks for the next, and is null on the last.')
  if (route.stream === 'sse') sentences.push('The answer is a stream that stays open.')
  return sentences.join(' ')
}

function accessNote({ access, workers }: Route): string {
  if (access === 'open') return 'Open: no token is needed.'
  if (access === 'user') return 'Any authenticated caller.'
  if (access === 'admin') return 'Platform administrators only.'
  return `Role: ${access} or above${workers ? ', or a worker that holds a lease of the run' : ''}.`
}

function parametersOf(route: Route): JsonSchema[] {
  const named = [...route.path.matchAll(/\{([A-Za-z]+)\+?\}/g)].map(([, name = '']) => ({
    name,
    in: 'path',
    required: true,
    description: describePathParameter(route, name),
    schema: { type: 'string', minLength: 1 },
  }))
  const query = Object.entries(route.query ?? {}).map(([name, schema]) => ({
    ...{ name, in: 'query', description: schema.description ?? describeQueryParameter(name), schema },
    ...(route.requiredQuery?.includes(name) ? { required: true } : {}),
    // Several values stand in one parameter, separated by commas.
    ...(schema.type === 'array' ? { style: 'form', explode: false } : {}),
  }))
  return [
    ...named,
    ...query,
    ...(route.list ? [ref('parameters', 'Limit'), ref('parameters', 'Cursor')] : []),
    ...(route.idempotent ? [ref('parameters', 'IdempotencyKey')] : []),
    ...(actsInProject(route) ? [ref('parameters', 'Project')] : []),
  ]
}

/** Elsewhere the header counts for nothing: no project is meant, or the path names it. */
const actsInProject = ({ access, projectParam }: Route) =>
  access !== 'open' && access !== 'admin' && projectParam === undefined

function requestBodyOf({ operationId, body }: Route, references: References): JsonSchema {
  const types = body?.contentTypes ?? (body?.binary ? ['application/octet-stream'] : ['application/json'])
  const media =
    body?.binary || !body?.schema
      ? { schema: { type: 'string', contentMediaType: 'application/octet-stream' } }
      : mediaOf(body.schema, references, requestExamples[operationId])
  return { required: body?.required !== false, content: Object.fromEntries(types.map((type) => [type, media])) }
}

function responsesOf(route: Route, references: References): JsonSchema {
  const own = Object.entries(route.responses).map(([status, response]) => [
    status,
    responseOf(response, Number(status), route, references),
  ])
  const problems = problemStatuses(route)
    .filter((status) => route.responses[status] === undefined)
    .map((status) => [String(status), ref('responses', problemNames[status] ?? 'Internal')])
  return Object.fromEntries([...own, ...problems])
}

function responseOf(response: RouteResponse, status: number, route: Route, references: References): JsonSchema {
  const { stream, idempotent } = route
  const success = status >= 200 && status < 300
  const types = response.contentType ? [response.contentType] : typesOf(response, route)
  const described =
    response.schema !== undefined || response.contentType !== undefined || (stream !== undefined && success)
  if (!success && !response.schema) {
    return { description: response.description, ...problemContent }
  }
  const media = response.schema ? mediaOf(response.schema, references) : textMedia
  return {
    description: response.description,
    ...(idempotent && success ? { headers: replayedHeader } : {}),
    ...(described && status !== 204 ? { content: Object.fromEntries(types.map((type) => [type, media])) } : {}),
  }
}

const json = ['application/json']
/** A stream, a page or a file: bytes, as far as a client is concerned. */
const textMedia = { schema: { type: 'string' } }
const problemContent = { content: { 'application/problem+json': { schema: ref('schemas', 'Problem') } } }

const mediaOf = (schema: JsonSchema, references: References, example: unknown = sampleOf(schema)): JsonSchema => ({
  schema: references.of(schema),
  examples: { usual: { value: example } },
})

/** NDJSON is a stream whose schema is that of a line; an upload is no stream back. */
function typesOf({ schema }: RouteResponse, { stream }: Route): readonly string[] {
  return stream !== undefined && (stream === 'ndjson' || schema === undefined) ? streamTypes[stream] : json
}

const replayedHeader = {
  'Idempotency-Replayed': { description: 'The first answer, given again', schema: { type: 'string', const: 'true' } },
}

function problemStatuses(route: Route): number[] {
  const guarded = route.access !== 'open'
  const typedBody = route.body && !route.body.binary
  return [
    ...(route.problems ?? []),
    400,
    ...(guarded ? [401] : []),
    ...(guarded && route.access !== 'user' ? [403] : []),
    ...(guarded || route.path.includes('{') ? [404] : []),
    ...(route.method === 'GET' ? [] : [409]),
    ...(route.body ? [408, 413] : []),
    ...(typedBody ? [415] : []),
    // Every path of the API refuses query parameters that it does not have.
    ...(route.path.startsWith('/api/') ? [422] : []),
    429,
    431,
    500,
    503,
    504,
  ]
}
