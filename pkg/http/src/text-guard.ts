import { type FieldError, unprocessable } from '@millrace/errors'
import type { JsonSchema } from '@millrace/routes'

/** Recursive code downstream (validators, serialisers, CEL) must never meet a depth that ends its stack. */
export const MAX_DEPTH = 100

/**
 * Of a body, which is parsed, checked and measured while nobody else is served. 500,000 numbers cost 35 ms of a start that
 * is refused as too large; 248,000 keys cost 350 ms, 120,000 of them 150 ms (18 November 2026). So a key counts for more.
 */
export const MAX_VALUES = 500_000
const KEY_VALUES = 3

/** Counts brackets and commas outside strings, before anything recursive or costly sees the text. */
export function assertShallow(json: string): void {
  let depth = 0
  let values = 0
  let inString = false
  for (let at = 0; at < json.length; at++) {
    const char = json.charCodeAt(at)
    if (inString) {
      if (char === 0x5c) at++
      else if (char === 0x22) inString = false
    } else if (char === 0x22) inString = true
    else if (char === 0x2c) values++
    else if (char === 0x3a) values += KEY_VALUES
    else if (char === 0x7b || char === 0x5b) {
      depth++
      values++
      if (depth > MAX_DEPTH) throw unprocessable('too_deep', `JSON may be nested at most ${MAX_DEPTH} levels deep.`)
    } else if (char === 0x7d || char === 0x5d) depth--
  }
  if (values > MAX_VALUES) {
    const rule = `JSON may hold at most ${MAX_VALUES} values, of which a key is ${KEY_VALUES}.`
    throw unprocessable('too_many_values', rule)
  }
}

/**
 * Postgres refuses NUL in text, and `__proto__` as a key invites trouble in whoever copies objects. Both are refused
 * everywhere but in places the schema marks as the user's own JSON, which is stored and returned as it came.
 */
export function assertStorable(value: unknown, source: string, schema: JsonSchema | undefined): void {
  // Neither can be present without one of these in the text; almost no body has them, so almost none is walked.
  if (!source.includes('\\u00') && !source.includes('__proto__')) return
  const errors: FieldError[] = []
  walk(value, [schema ?? {}], '', errors)
  if (errors.length > 0) throw unprocessable('invalid_request', 'The request is not valid.', errors)
}

function walk(value: unknown, schemas: readonly JsonSchema[], path: string, errors: FieldError[]): void {
  if (schemas.some((schema) => schema['x-user-json'] === true) || errors.length >= 20) return
  if (typeof value === 'string') {
    if (value.includes('\0'))
      errors.push({ path, code: 'invalid_character', message: 'must not contain a NUL character' })
    return
  }
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) walk(item, schemas.flatMap(itemsOf), `${path}/${index}`, errors)
    return
  }
  if (typeof value !== 'object' || value === null) return
  for (const [key, item] of Object.entries(value)) {
    const at = `${path}/${key.replaceAll('\0', '\\0')}`
    if (key === '__proto__' || key.includes('\0'))
      errors.push({ path: at, code: 'invalid_name', message: 'is not an acceptable name' })
    walk(
      item,
      schemas.flatMap((schema) => propertyOf(schema, key)),
      at,
      errors,
    )
  }
}

const isSchema = (value: unknown): value is JsonSchema =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function alternatives(schema: JsonSchema): JsonSchema[] {
  return ['oneOf', 'anyOf', 'allOf'].flatMap((keyword) => {
    const branches = schema[keyword]
    return Array.isArray(branches) ? branches.filter(isSchema) : []
  })
}

function propertyOf(schema: JsonSchema, key: string): JsonSchema[] {
  const properties = schema.properties
  const named = isSchema(properties) && Object.hasOwn(properties, key) ? properties[key] : schema.additionalProperties
  return [...(isSchema(named) ? [named] : []), ...alternatives(schema).flatMap((branch) => propertyOf(branch, key))]
}

function itemsOf(schema: JsonSchema): JsonSchema[] {
  return [...(isSchema(schema.items) ? [schema.items] : []), ...alternatives(schema).flatMap(itemsOf)]
}
