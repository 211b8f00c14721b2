import type { FieldError } from '@millrace/errors'
import type { ErrorObject, ValidateFunction } from 'ajv'
import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { RE2JS } from 're2js'
import { isObject, type JsonObject, utf8Bytes } from '../json-value.js'
import { limits } from '../limits.js'
import type { LocatedProblem } from './check-schema.js'
import { checkBounds } from './json-bounds.js'
import { checkReferences } from './schema-references.js'

const draft = 'https://json-schema.org/draft/2020-12/schema'
const maxErrors = 100

export type InputValidator = (input: unknown) => FieldError[]

const re2 = Object.assign(
  (pattern: string) => {
    const compiled = RE2JS.compile(pattern)
    return { test: (text: string) => compiled.matcher(text).find() }
  },
  { code: 'new RegExp' },
)

let metaAjv: Ajv2020 | undefined

/** Problems of a user's schema, paths relative to it. */
export function checkInputSchema(schema: unknown): LocatedProblem[] {
  if (typeof schema === 'boolean' || schema === undefined) return []
  if (!isObject(schema)) return [{ path: [], code: 'type', message: 'must be a JSON Schema' }]
  if (utf8Bytes(JSON.stringify(schema)) > limits.inputSchemaBytes) {
    return [{ path: [], code: 'too_large', message: `a schema is at most ${limits.inputSchemaBytes} bytes` }]
  }
  const bounds = checkBounds(schema, limits.inputSchemaDepth)
  if (bounds.length > 0) return bounds
  const references = checkReferences(schema)
  if (references.length > 0) return references
  if (schema.$schema !== undefined && String(schema.$schema).replace(/#$/, '') !== draft) {
    return [{ path: ['$schema'], code: 'unsupported_schema', message: `only ${draft} is supported` }]
  }
  metaAjv ??= new Ajv2020({ allErrors: true, logger: false })
  if (!metaAjv.validateSchema(schema)) {
    return (metaAjv.errors ?? [])
      .filter((e) => e.keyword !== 'anyOf')
      .map((e) => ({ path: segments(e.instancePath), code: 'bad_schema', message: e.message ?? 'is not valid' }))
  }
  try {
    compile(schema)
    return []
  } catch (error) {
    return [{ path: [], code: 'bad_schema', message: error instanceof Error ? error.message : String(error) }]
  }
}

export function compileInputSchema(schema: unknown): InputValidator {
  if (schema === undefined || schema === true) return () => []
  const validate = compile(schema as JsonObject | boolean)
  return (input) => {
    try {
      return validate(input) ? [] : (validate.errors ?? []).slice(0, maxErrors).map(toFieldError)
    } catch (error) {
      if (!(error instanceof RangeError)) throw error
      return [{ path: '', code: 'too_deep', message: 'the input is nested too deeply for its schema' }]
    }
  }
}

/** One instance a schema: an `$id` or anchor of one user's schema must never be seen by another's. */
function compile(schema: JsonObject | boolean): ValidateFunction {
  const ajv = new Ajv2020({
    allErrors: true,
    strict: false,
    validateSchema: false,
    logger: false,
    code: { regExp: re2 },
  })
  // 'fast' formats have no backtracking to exploit.
  addFormats.default(ajv, { mode: 'fast' })
  ajv.removeKeyword('uniqueItems')
  ajv.addKeyword({
    keyword: 'uniqueItems',
    type: 'array',
    schemaType: 'boolean',
    error: { message: 'must NOT have duplicate items' },
    validate: isUnique,
  })
  return ajv.compile(schema)
}

/** The library compares objects pair by pair: 80,000 empty ones would take minutes. */
function isUnique(wanted: boolean, items: unknown[]): boolean {
  return !wanted || new Set(items.map(canonical)).size === items.length
}

function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join()}]`
  if (!isObject(value)) return JSON.stringify(value)
  const keys = Object.keys(value).sort()
  return `{${keys.map((key) => `${JSON.stringify(key)}:${canonical(value[key])}`).join()}}`
}

function toFieldError(error: ErrorObject): FieldError {
  const missing = error.keyword === 'required' ? `/${error.params.missingProperty}` : ''
  const unknown = error.keyword === 'additionalProperties' ? `/${error.params.additionalProperty}` : ''
  return {
    path: `/input${error.instancePath}${missing}${unknown}`,
    code: error.keyword,
    message: error.message ?? 'is not valid',
  }
}

const segments = (pointer: string): string[] => pointer.split('/').slice(1)
