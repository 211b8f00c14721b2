import type { ErrorObject, ValidateFunction } from 'ajv'
import { Ajv2020 } from 'ajv/dist/2020.js'
import type { Problem } from '../expression/compile-expression.js'
import { type FieldPath, fromPointer } from '../field-path.js'
import { normalisedSchema } from './definition-schema.js'

export const badDuration = 'must be a duration such as 500ms, 30s, 5m, 1h, 2d or ISO 8601, of at most 366 days'

let compiled: ValidateFunction | undefined

function validator(): ValidateFunction {
  compiled ??= new Ajv2020({
    allErrors: true,
    strict: true,
    allowUnionTypes: true,
    strictRequired: false,
    strictTypes: false,
  }).compile(normalisedSchema)
  return compiled
}

export interface LocatedProblem extends Problem {
  path: FieldPath
}

export function checkSchema(value: unknown): LocatedProblem[] {
  const validate = validator()
  if (validate(value)) return []
  const problems = (validate.errors ?? []).filter(speaksForItself).map(toProblem)
  const seen = new Set<string>()
  return problems.filter((p) => {
    const id = JSON.stringify([p.path, p.code, p.message])
    return !seen.has(id) && seen.add(id)
  })
}

/** Combinators only repeat what their branches said, and "it is not an expression" helps nobody who meant a value. */
function speaksForItself(error: ErrorObject): boolean {
  if (error.schemaPath.includes('/$defs/expression')) return false
  if (error.keyword === 'oneOf') return true
  return error.keyword !== 'anyOf' && error.keyword !== 'if' && error.keyword !== 'propertyNames'
}

function toProblem(error: ErrorObject): LocatedProblem {
  const path = fromPointer(error.instancePath)
  const name = error.propertyName
  switch (error.keyword) {
    case 'required':
      return {
        path: [...path, error.params.missingProperty],
        code: 'required',
        message: `${error.params.missingProperty} is required`,
      }
    case 'additionalProperties':
      return {
        path: [...path, error.params.additionalProperty],
        code: 'unknown_field',
        message: `there is no field ${error.params.additionalProperty} here`,
      }
    case 'enum':
      return { path, code: 'enum', message: `must be one of ${error.params.allowedValues.join(', ')}` }
    case 'oneOf':
      return { path, code: 'one_of', message: 'needs exactly one of command and args' }
    case 'not':
      return { path, code: 'nested_map', message: 'a map may not stand inside a map' }
    case 'pattern':
      if (name !== undefined)
        return {
          path: [...path, name],
          code: 'bad_name',
          message: `${quote(name)} is no task key: ${error.params.pattern}`,
        }
      return patternProblem(path, error)
    default:
      return {
        path,
        code: error.keyword.replace(/[A-Z]/g, (c) => `_${c.toLowerCase()}`),
        message: error.message ?? 'is not valid',
      }
  }
}

function patternProblem(path: FieldPath, error: ErrorObject): LocatedProblem {
  if (error.schemaPath.includes('/duration/')) {
    return { path, code: 'bad_duration', message: badDuration }
  }
  const last = path.at(-1)
  const code = last === 'name' || last === 'uses' || last === 'queue' ? 'bad_name' : 'pattern'
  return { path, code, message: `must match ${error.params.pattern}` }
}

const quote = (name: string): string => JSON.stringify(name.slice(0, 80))
