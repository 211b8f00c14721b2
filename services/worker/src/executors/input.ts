import { invalidInput } from '../execution/execution-failure.js'

export type InputObject = Readonly<Record<string, unknown>>

const nothing: InputObject = Object.freeze({})

/** `with` is an object; leaving it out is the same as giving an empty one. */
export function inputObject(input: unknown): InputObject {
  if (input === null || input === undefined) return nothing
  if (typeof input !== 'object' || Array.isArray(input)) throw invalidInput('`with` must be an object')
  return input as InputObject
}

/** JSON may carry a key named `__proto__`: only own keys count. */
export function field(input: InputObject, name: string): unknown {
  const value = Object.hasOwn(input, name) ? input[name] : undefined
  return value === null ? undefined : value
}

export function optionalString(input: InputObject, name: string): string | undefined {
  const value = field(input, name)
  if (value === undefined || typeof value === 'string') return value
  throw invalidInput(`\`${name}\` must be a string`)
}

export function requiredString(input: InputObject, name: string): string {
  const value = optionalString(input, name)
  if (value === undefined || value === '') throw invalidInput(`\`${name}\` is required`)
  return value
}

export function optionalInteger(
  input: InputObject,
  name: string,
  range: { min: number; max: number },
): number | undefined {
  const value = field(input, name)
  if (value === undefined) return undefined
  if (typeof value === 'number' && Number.isInteger(value) && value >= range.min && value <= range.max) return value
  throw invalidInput(`\`${name}\` must be a whole number from ${range.min} to ${range.max}`)
}

export function optionalObject(input: InputObject, name: string): InputObject | undefined {
  const value = field(input, name)
  if (value === undefined) return undefined
  if (typeof value === 'object' && !Array.isArray(value)) return value as InputObject
  throw invalidInput(`\`${name}\` must be an object`)
}
