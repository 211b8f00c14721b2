import { type FieldError, unprocessable } from '@millrace/errors'
import type { JsonSchema, Route } from '@millrace/routes'
import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js'
import formatsModule from 'ajv-formats'
import { cursorSchema, limitSchema } from './pagination.js'

const addFormats = formatsModule.default
const MAX_ERRORS = 100

const common = {
  allErrors: true,
  strict: false,
  ownProperties: true,
  discriminator: true,
  strictNumbers: true,
} as const
const bodies = new Ajv2020(common)
const queries = new Ajv2020({ ...common, useDefaults: true })
addFormats(bodies)
addFormats(queries)

export interface RouteValidator {
  /** Returns what the route declares, coerced. */
  query(parameters: URLSearchParams): Record<string, unknown>
  body(value: unknown): void
}

export function createValidator(route: Route): RouteValidator {
  const declared: Record<string, JsonSchema> = {
    ...route.query,
    ...(route.list ? { limit: limitSchema, cursor: cursorSchema } : {}),
  }
  const entries = Object.entries(declared)
  const query = queries.compile({ type: 'object', properties: declared })
  const body = route.body?.schema ? bodies.compile(route.body.schema) : undefined
  return {
    query(parameters) {
      const values: Record<string, unknown> = {}
      for (const [name, declaration] of entries) {
        const given = parameters.getAll(name)
        if (given.length > 0) values[name] = coerce(declaration, given)
      }
      if (entries.length > 0) check(query, values, 'A query parameter is not valid.')
      return values
    },
    body(value) {
      if (body) check(body, value, 'The request is not valid.')
    },
  }
}

/** For parts of a body that the route leaves to its handler: throws what a wrong body would. */
export function createChecker(schema: JsonSchema): (value: unknown) => void {
  const validate = bodies.compile(schema)
  return (value) => check(validate, value, 'The request is not valid.')
}

/** Stricter than ajv's own coercion, which takes `1e400` for a number above every maximum and lets it through. */
function coerce(declaration: JsonSchema, given: readonly string[]): unknown {
  if (declaration.type === 'array') {
    const items = (declaration.items ?? {}) as JsonSchema
    return given.map((text) => coerceOne(items, text))
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
