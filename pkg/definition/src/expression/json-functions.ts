import type { CelInput, CelValue } from '@bufbuild/cel'
import { limits } from '../limits.js'
import { spend, stepsOf } from './budget.js'
import { celToJson, SizeMeter } from './cel-to-json.js'
import { ExpressionError } from './expression-error.js'
import { jsonToCel } from './json-to-cel.js'

/** Nanoseconds a character; texts of many small values took the longest. */
const parseNs = 25
const encodeNs = 25

/** Paid before it happens: parsing cannot be interrupted. */
export function parseJson(text: string): CelInput {
  spend(stepsOf(text.length * parseNs))
  try {
    return jsonToCel(JSON.parse(text))
  } catch (error) {
    if (error instanceof ExpressionError) throw error
    throw new ExpressionError('expression_failed', 'json.parse was given a text that is not JSON')
  }
}

/** The size is counted while the value is converted; the text costs in proportion to it. */
export function encodeJson(value: CelValue): string {
  const text = JSON.stringify(celToJson(value, new SizeMeter(limits.resolvedBytes)))
  spend(stepsOf(text.length * encodeNs))
  return text
}
