import type { JsonSchema } from '../types.js'

const problem: JsonSchema = {
  type: 'object',
  description: 'RFC 9457 problem; `code` is stable and machine-readable.',
  required: ['type', 'title', 'status', 'detail', 'code', 'requestId'],
  properties: {
    type: { type: 'string' },
    title: { type: 'string' },
    status: { type: 'integer' },
    detail: { type: 'string' },
    code: { type: 'string' },
    requestId: { type: 'string' },
    errors: {
      type: 'array',
      maxItems: 100,
      items: {
        type: 'object',
        required: ['path', 'code', 'message'],
        properties: {
          path: { type: 'string' },
          code: { type: 'string' },
          message: { type: 'string' },
          line: { type: 'integer' },
        },
      },
    },
  },
}

const problemResponse = (description: string, headers?: JsonSchema): JsonSchema => ({
  description,
  ...(headers ? { headers } : {}),
  content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
})

const retryAfter = { 'Retry-After': { description: 'Seconds to wait', schema: { type: 'integer', minimum: 1 } } }

/** Every problem a route can answer with, by status. */
export const problemNames: Readonly<Record<number, string>> = {
  400: 'Malformed',
  401: 'Unauthenticated',
  403: 'PermissionDenied',
  404: 'NotFound',
  409: 'Conflict',
  413: 'TooLarge',
  408: 'TooSlow',
  415: 'UnsupportedMediaType',
  422: 'Unprocessable',
  429: 'RateLimited',
  431: 'HeadersTooLarge',
  500: 'Internal',
  503: 'Unavailable',
  504: 'UpstreamTimeout',
}

export const components = {
  schemas: { Problem: problem },
  responses: {
    Malformed: problemResponse('The request is malformed'),
    Unauthenticated: problemResponse('No identity, or a bad one'),
    PermissionDenied: problemResponse('The role does not allow this'),
    NotFound: problemResponse('Absent, or in another project'),
    Conflict: problemResponse('It conflicts with what is there'),
    TooLarge: problemResponse('The body is too large'),
    UnsupportedMediaType: problemResponse('The body has the wrong type'),
    Unprocessable: problemResponse('Valid JSON that breaks a rule; `errors` names the places'),
    HeadersTooLarge: problemResponse('The headers are too large'),
    TooSlow: problemResponse('The request took too long to arrive'),
    UpstreamTimeout: problemResponse('A service did not answer in time'),
    RateLimited: problemResponse('Too many requests', retryAfter),
    Internal: problemResponse('Our fault'),
    Unavailable: problemResponse('A dependency is down'),
  },
  parameters: {
    Project: {
      name: 'X-Millrace-Project',
      in: 'header',
      description: "Slug of the project to act in; without it the caller's default project",
      schema: { type: 'string', maxLength: 63 },
    },
    IdempotencyKey: {
      name: 'Idempotency-Key',
      in: 'header',
      description: 'The same key and body within 24 hours gives the first answer again',
      schema: { type: 'string', minLength: 1, maxLength: 255 },
    },
    Limit: {
      name: 'limit',
      in: 'query',
      description: 'Items a page',
      schema: { type: 'integer', minimum: 1, maximum: 200, default: 50 },
    },
    Cursor: {
      name: 'cursor',
      in: 'query',
      description: '`nextCursor` of the page before',
      schema: { type: 'string', maxLength: 2048 },
    },
  },
  securitySchemes: {
    bearer: { type: 'http', scheme: 'bearer', description: 'An access token, or an API key' },
  },
}
