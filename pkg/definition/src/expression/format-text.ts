import { type CelFunc, CelScalar, type CelValue, celList, celMethod, listType } from '@bufbuild/cel'
import { strings } from '@bufbuild/cel/ext'
import { limits } from '../limits.js'
import { spend, stepsOf } from './budget.js'
import { celToJson, SizeMeter } from './cel-to-json.js'
import { ExpressionError } from './expression-error.js'

const { DYN, STRING } = CelScalar
const LIST = listType(DYN)

const library = strings.find(({ name }) => name === 'format')
const clause = /%(?:%|(?:\.\d*)?(.))/gs
/**
 * Nanoseconds, about five times what most of it takes. A map, which is sorted, takes 70; a fixed-point number 24 µs, since
 * the platform makes a formatter for each.
 */
const characterNs = 100
/** Digits of the largest double and its decimals; of the largest integer in binary. */
const doubleLength = 410
const integerLength = 64

/**
 * CEL's `format`. Each value stands in the text once, so what comes of it is bounded by the values' JSON (hexadecimal: twice
 * that) before it is made. Whole numbers may be written with `%f` and `%e`, as JSON has one kind of numbers.
 */
function format(text: string, list: Iterable<CelValue>): string {
  const values = [...list]
  const meter = new SizeMeter(limits.resolvedBytes)
  meter.add(text.length)
  let at = 0
  for (const [, verb] of text.matchAll(clause)) {
    const value = values[at]
    if (verb === undefined || value === undefined) continue
    const isDouble = verb === 'f' || verb === 'e'
    meter.add(isDouble ? doubleLength : integerLength)
    celToJson(value, meter)
    if (verb === 'x' || verb === 'X') celToJson(value, meter)
    if (isDouble && typeof value === 'bigint') values[at] = Number(value)
    at += 1
  }
  spend(stepsOf(meter.used * characterNs))
  const result = library?.call(0, text, [celList(values)])
  if (typeof result !== 'string') throw result
  if (result.length > limits.resolvedBytes) {
    throw new ExpressionError('result_too_large', `a text is over ${limits.resolvedBytes} characters`)
  }
  return result
}

export const formatText: CelFunc = celMethod('format', STRING, [LIST], STRING, function (values) {
  return format(this, values)
})
