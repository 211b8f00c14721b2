import type { FieldError } from '@millrace/errors'
import type { ErrorObject, ValidateFunction } from 'ajv'
import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { isObject, type JsonObject, utf8Bytes } from '../json-value.js'
import { limits } from '../limits.js'
import { patternSize } from '../pattern/pattern-size.js'
import { compilePattern, PatternError } from '../pattern/user-pattern.js'
import type { LocatedProblem } from './check-schema.js'
import { checkBounds } from './json-bounds.js'
import { validationCost } from './schema-cost.js'
import { checkReferences, walkSchema } from './schema-references.js'

const draft = 'https://json-schema.org/draft/2020-12/schema'

export type InputValidator = (input: unknown) => FieldError[]

const re2 = Object.assign(compilePattern, { code: 'new RegExp' })

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
      .slice(0, limits.errors)
      .map((e) => ({ path: segments(e.instancePath), code: 'bad_schema', message: e.message ?? 'is not valid' }))
  }
  const patterns = checkPatterns(schema)
  if (patterns.length > 0) return patterns
  try {
    compile(schema, true)
    return []
  } catch (error) {
    return [{ path: [], code: 'bad_schema', message: error instanceof Error ? error.message : String(error) }]
  }
}

/**
 * Counts before it checks. All errors are told of what is cheap to check; of anything else the first, since a schema and
 * an input of some kilobytes may have millions.
 */
export function compileInputSchema(schema: unknown): InputValidator {
  if (schema === undefined || schema === true) return () => []
  const source = schema as JsonObject | boolean
  const validators: Partial<Record<'all' | 'first', ValidateFunction>> = {}
  return (input) => {
    const cost = validationCost(source, input, limits.validationSteps)
    if (cost > limits.validationSteps) return [tooComplex]
    const kind = cost > limits.cheapValidationSteps ? 'first' : 'all'
    validators[kind] ??= compile(source, kind === 'all')
    const validate = validators[kind]
    try {
      return validate(input) ? [] : (validate.errors ?? []).slice(0, limits.errors).map(toFieldError)
    } catch (error) {
      if (!(error instanceof RangeError)) throw error
      return [{ path: '', code: 'too_deep', message: 'the input is nested too deeply for its schema' }]
    }
  }
}

export const tooComplex: FieldError = {
  path: '/input',
  code: 'too_complex',
  message: 'checking this input against its schema takes too long',
}

/** Whether the event loop may compile this schema and check this input itself: some milliseconds at most. */
export function isCheap(schema: unknown): boolean {
  if (!isObject(schema)) return true
  let parts = 0
  let patterns = 0
  walkSchema(schema, [], (node) => {
    parts += Object.keys(node).length
    for (const source of patternsOf(node)) patterns += patternSize(source)
  })
  return parts <= limits.cheapSchemaParts && patterns <= limits.cheapPatternSize
}

function checkPatterns(schema: JsonObject): LocatedProblem[] {
  const problems: LocatedProblem[] = []
  let total = 0
  walkSchema(schema, [], (node, path) => {
    for (const source of patternsOf(node)) {
      total += patternSize(source)
      if (total > limits.schemaPatternSize) return
      try {
        compilePattern(source)
      } catch (error) {
        if (!(error instanceof PatternError)) throw error
        problems.push({ path: [...path, 'pattern'], code: codeOf(error), message: error.message })
      }
    }
  })
  if (total > limits.schemaPatternSize) {
    const message = `the patterns of a schema have at most ${limits.schemaPatternSize} steps together`
    return [{ path: [], code: 'pattern_too_complex', message }]
  }
  return problems.slice(0, limits.errors)
}

const codeOf = (error: PatternError): string => (error.code === 'bad_pattern' ? 'bad_schema' : error.code)

function patternsOf(node: JsonObject): string[] {
  const keys = isObject(node.patternProperties) ? Object.keys(node.patternProperties) : []
  return typeof node.pattern === 'string' ? [node.pattern, ...keys] : keys
}

/** One instance a schema: an `$id` or anchor of one user's schema must never be seen by another's. */
function compile(schema: JsonObject | boolean, allErrors: boolean): ValidateFunction {
  const ajv = new Ajv2020({
    allErrors,
    strict: false,
    validateSchema: false,
    logger: false,
    code: { regExp: re2 },
  })
  // 'fast' formats take linear time, but for the pattern of `url`, which is quadratic.
  addFormats.default(ajv, { mode: 'fast' })
  ajv.addFormat('url', isUrl)
  ajv.addFormat('regex', (text) => text.length <= limits.patternLength && isPattern(text))
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

function isUrl(text: string): boolean {
  return /^(?:https?|ftp):/i.test(text) && URL.canParse(text)
}

function isPattern(text: string): boolean {
  try {
    compilePattern(text)
    return true
  } catch {
    return false
  }
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
