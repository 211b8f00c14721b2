import { type FieldError, unprocessable } from '@millrace/errors'
import type { JsonSchema, Route } from '@millrace/routes'
import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js'
import formatsModule from 'ajv-formats'
import { cursorSchema, limitSchema } from './pagination.js'

const addFormats = formatsModule.default
const MAX_ERRORS = 100
/** Of larger bodies only the first error is told. */
const ALL_ERRORS_BYTES = 64 * 1024

const common = {
  allErrors: true,
  strict: false,
  ownProperties: true,
  discriminator: true,
  strictNumbers: true,
} as const
const bodies = new Ajv2020(common)
/** Stops at the first error: a list of a million wrong items has a million of them. */
const strict = new Ajv2020({ ...common, allErrors: false })
const queries = new Ajv2020({ ...common, useDefaults: true })
addFormats(bodies)
addFormats(strict)
addFormats(queries)

export interface RouteValidator {
  /** Returns what the route declares, coerced. */
  query(parameters: URLSearchParams): Record<string, unknown>
  /** `bytes`: how large the body was. */
  body(value: unknown, bytes: number): void
}

export function createValidator(route: Route): RouteValidator {
  const declared: Record<string, JsonSchema> = {
    ...route.query,
    ...(route.list ? { limit: limitSchema, cursor: cursorSchema } : {}),
  }
  const entries = Object.entries(declared)
  const query = queries.compile({ type: 'object', properties: declared, required: route.requiredQuery ?? [] })
  const body = route.body?.schema ? bodies.compile(route.body.schema) : undefined
  const large = route.body?.schema ? strict.compile(route.body.schema) : undefined
  return {
    query(parameters) {
      if (!route.anyQuery) refuseUnknown(parameters, declared)
      const values: Record<string, unknown> = {}
      for (const [name, declaration] of entries) {
        const given = parameters.getAll(name)
        if (given.length > 0) values[name] = coerce(declaration, given)
      }
      if (entries.length > 0) check(query, values, 'A query parameter is not valid.')
      return values
    },
    body(value, bytes) {
      const validate = bytes > ALL_ERRORS_BYTES ? large : body
      if (validate) check(validate, value, 'The request is not valid.')
    },
  }
}

/** For parts of a body that the route leaves to its handler: throws what a wrong body would. */
export function createChecker(schema: JsonSchema): (value: unknown) => void {
  const validate = bodies.compile(schema)
  return (value) => check(validate, value, 'The request is not valid.')
}

/** More of them than any list may have: the schema then says so. */
const maxItems = 1_000

function refuseUnknown(parameters: URLSearchParams, declared: Record<string, JsonSchema>): void {
  const unknown = [...new Set(parameters.keys())].filter((name) => !Object.hasOwn(declared, name))
  if (unknown.length === 0) return
  const names = unknown.slice(0, MAX_ERRORS).map((name) => name.slice(0, 100))
  const errors = names.map((name) => ({
    path: `/${name}`,
    code: 'unknown_parameter',
    message: 'is no parameter of this call',
  }))
  const known = Object.keys(declared).join(', ')
  const detail = `${names.join(', ')}: no parameter of this call; ${known === '' ? 'it takes none' : `it takes ${known}`}.`
  throw unprocessable('unknown_parameter', detail.slice(0, 1_000), errors)
}

/** Stricter than ajv's own coercion, which takes `1e400` for a number above every maximum and lets it through. */
function coerce(declaration: JsonSchema, given: readonly string[]): unknown {
  if (declaration.type === 'array') {
    const items = (declaration.items ?? {}) as JsonSchema
    return given.flatMap((text) => text.split(',', maxItems)).map((text) => coerceOne(items, text))
  }
  const [only] = given
  return given.length === 1 && only !== undefined ? coerceOne(declaration, only) : given
}

function coerceOne({ type }: JsonSchema, text: string): unknown {
  if (type === 'integer' && /^-?\d{1,15}$/.test(text)) return Number(text)
  if (type === 'number' && /^-?\d{1,15}(\.\d{1,15})?$/.test(text)) return Number(text)
  if (type === 'boolean' && (text === 'true' || text === 'false')) return text === 'true'
  return text
}

function check(validate: ValidateFunction, value: unknown, message: string): void {
  if (validate(value)) return
  const errors = (validate.errors ?? []).filter(
    (error) => !['if', 'anyOf'].includes(error.keyword) || validate.errors?.length === 1,
  )
  throw unprocessable('invalid_request', message, errors.slice(0, MAX_ERRORS).map(toFieldError))
}

const codes: Record<string, string> = {
  additionalProperties: 'unknown_field',
  unevaluatedProperties: 'unknown_field',
  required: 'required',
  type: 'wrong_type',
  enum: 'not_allowed',
  const: 'not_allowed',
  format: 'wrong_format',
  pattern: 'wrong_format',
  minimum: 'out_of_range',
  maximum: 'out_of_range',
  exclusiveMinimum: 'out_of_range',
  exclusiveMaximum: 'out_of_range',
  minLength: 'too_short',
  minItems: 'too_short',
  minProperties: 'too_short',
  maxLength: 'too_long',
  maxItems: 'too_long',
  maxProperties: 'too_long',
  uniqueItems: 'not_unique',
}

function toFieldError(error: ErrorObject): FieldError {
  const { missingProperty, additionalProperty, allowedValues } = error.params
  const inner = missingProperty ?? additionalProperty
  const path = inner === undefined ? error.instancePath : `${error.instancePath}/${inner}`
  const choices = Array.isArray(allowedValues) ? `: ${allowedValues.join(', ')}` : ''
  return { path, code: codes[error.keyword] ?? 'invalid', message: `${error.message ?? 'is not valid'}${choices}` }
}
