import { type CelResult, isCelError, isCelList, isCelMap, isCelType, isCelUint } from '@bufbuild/cel'
import { toJson } from '@bufbuild/protobuf'
import { isReflectMessage } from '@bufbuild/protobuf/reflect'
import { type Duration, DurationSchema, type Timestamp, TimestampSchema } from '@bufbuild/protobuf/wkt'
import { isObject, type JsonObject, jsonStringBytes, setOwn } from '../json-value.js'
import { ExpressionError } from './expression-error.js'
import { sourceOf } from './json-to-cel.js'
import { isOptional, unopened } from './optional.js'

const maxDepth = 200

/** Counts the JSON text as it is made, so that an oversized result stops the work instead of being measured after it. */
export class SizeMeter {
  #left: number
  readonly #limit: number

  constructor(limit: number) {
    this.#left = limit
    this.#limit = limit
  }

  get used(): number {
    return this.#limit - this.#left
  }

  add(bytes: number): void {
    this.#left -= bytes
    if (this.#left < 0) {
      throw new ExpressionError('result_too_large', `the resolved value is over ${this.#limit} bytes`)
    }
  }

  /** Counts a value that is JSON already. */
  addJson(value: unknown, depth = 0): void {
    checkDepth(depth)
    if (typeof value === 'string') this.add(jsonStringBytes(value))
    else if (Array.isArray(value)) {
      this.add(2 + Math.max(0, value.length - 1))
      for (const item of value) this.addJson(item, depth + 1)
    } else if (isObject(value)) {
      this.add(2)
      for (const key of Object.keys(value)) {
        if (value[key] === undefined) continue
        this.add(jsonStringBytes(key) + 2)
        this.addJson(value[key], depth + 1)
      }
    } else this.add(String(value).length)
  }
}

export function celToJson(value: CelResult, meter: SizeMeter, depth = 0): unknown {
  checkDepth(depth)
  if (isCelError(value)) throw new ExpressionError('expression_failed', value.message)
  switch (typeof value) {
    case 'string':
      meter.add(jsonStringBytes(value))
      return value
    case 'boolean':
      meter.add(5)
      return value
    case 'bigint':
      meter.add(8)
      return exactNumber(value)
    case 'number':
      meter.add(8)
      if (!Number.isFinite(value)) throw new ExpressionError('not_json', `${value} is not a JSON number`)
      return value
    default:
      return objectToJson(value, meter, depth)
  }
}

function objectToJson(value: Exclude<CelResult, string | boolean | bigint | number>, meter: SizeMeter, depth: number) {
  if (value === null) {
    meter.add(4)
    return null
  }
  const source = sourceOf(value)
  if (source !== undefined) {
    meter.addJson(source, depth)
    return source
  }
  if (isOptional(value)) throw unopened()
  if (isCelUint(value)) return celToJson(value.value, meter, depth)
  if (isCelList(value)) {
    meter.add(2)
    const items: unknown[] = []
    for (const item of value) {
      meter.add(1)
      items.push(celToJson(item, meter, depth + 1))
    }
    return items
  }
  if (isCelMap(value)) {
    meter.add(2)
    const object: JsonObject = {}
    for (const [key, item] of value) {
      const name = isCelUint(key) ? String(key.value) : String(key)
      meter.add(jsonStringBytes(name) + 2)
      setOwn(object, name, celToJson(item, meter, depth + 1))
    }
    return object
  }
  return scalarMessageToJson(value, meter)
}

function scalarMessageToJson(value: object, meter: SizeMeter): string {
  let text: string | undefined
  if (value instanceof Uint8Array) text = Buffer.from(value).toString('base64')
  else if (isReflectMessage(value, TimestampSchema)) text = toJson(TimestampSchema, value.message as Timestamp)
  else if (isReflectMessage(value, DurationSchema)) text = toJson(DurationSchema, value.message as Duration)
  if (text === undefined) {
    const kind = isCelType(value as never) ? 'a type' : 'a message'
    throw new ExpressionError('not_json', `the expression gives ${kind}, which has no JSON form`)
  }
  meter.add(text.length + 2)
  return text
}

function exactNumber(value: bigint): number {
  const number = Number(value)
  if (BigInt(number) !== value) {
    throw new ExpressionError('not_json', `the integer ${value} has no exact JSON number; use string(…)`)
  }
  return number
}

function checkDepth(depth: number): void {
  if (depth > maxDepth)
    throw new ExpressionError('result_too_deep', `the value is nested deeper than ${maxDepth} levels`)
}
