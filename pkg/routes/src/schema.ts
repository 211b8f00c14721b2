import type { JsonSchema, RouteResponse } from './types.js'

export const text = (maxLength = 1024, extra: JsonSchema = {}): JsonSchema => ({ type: 'string', maxLength, ...extra })
export const id: JsonSchema = { type: 'string', description: 'Opaque identifier' }
export const integer = (minimum?: number, maximum?: number): JsonSchema => ({
  type: 'integer',
  ...(minimum === undefined ? {} : { minimum }),
  ...(maximum === undefined ? {} : { maximum }),
})
export const boolean: JsonSchema = { type: 'boolean' }
export const time: JsonSchema = { type: 'string', format: 'date-time' }
export const oneOf = (...values: readonly (string | number | null)[]): JsonSchema => ({ enum: values })
export const list = (items: JsonSchema, extra: JsonSchema = {}): JsonSchema => ({ type: 'array', items, ...extra })
/** A filter that takes one value or several, separated by commas. */
export const anyOf = (values: JsonSchema): JsonSchema => list(values, { minItems: 1, maxItems: 20 })
/** The same in a body: a list, or one text as a query would have it. */
export const anyOfInBody = (values: JsonSchema): JsonSchema => {
  const one = (values.enum as readonly string[]).join('|')
  return { anyOf: [anyOf(values), { type: 'string', pattern: `^(${one})(,(${one})){0,19}$` }] }
}
export const nullable = (schema: JsonSchema): JsonSchema => ({ anyOf: [schema, { type: 'null' }] })

/** Any JSON at all, the user's own: stored as `json`, so even a NUL inside it is no fault. */
export const userJson: JsonSchema = { 'x-user-json': true, description: 'Any JSON value' }

/** An answer's object: further fields may be added later. */
export const object = (properties: Record<string, JsonSchema>, required: readonly string[] = []): JsonSchema => ({
  type: 'object',
  properties,
  ...(required.length > 0 ? { required } : {}),
})

/** A request's object: a field nobody knows is a fault. */
export const input = (properties: Record<string, JsonSchema>, required: readonly string[] = []): JsonSchema => ({
  ...object(properties, required),
  additionalProperties: false,
})

export const page = (items: JsonSchema): JsonSchema =>
  object({ items: list(items), nextCursor: { type: ['string', 'null'] } }, ['items', 'nextCursor'])

export const answer = (description: string, schema?: JsonSchema): RouteResponse => ({
  description,
  ...(schema === undefined ? {} : { schema }),
})

export const noContent: RouteResponse = { description: 'Done' }
