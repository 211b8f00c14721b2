import { type CelFunc, CelScalar, celMethod } from '@bufbuild/cel'
import { limits } from '../limits.js'
import { spend, stepsOf } from './budget.js'
import { ExpressionError } from './expression-error.js'

const { INT, STRING } = CelScalar

/** Nanoseconds a character, and for each place that is replaced. */
const scanNs = 10
const placeNs = 200

/** At most so many places as `most` says; below 0 all. The size of the result is known before it is made. */
function replace(text: string, from: string, to: string, most: bigint): string {
  spend(stepsOf(text.length * scanNs))
  const places = from === '' ? boundaries(text) : placesOf(text, from)
  const count = most < 0n || most > BigInt(places.length) ? places.length : Number(most)
  spend(stepsOf(count * placeNs + count * to.length))
  if (text.length + count * (to.length - from.length) > limits.resolvedBytes) {
    throw new ExpressionError('result_too_large', `a text is over ${limits.resolvedBytes} characters`)
  }
  let out = ''
  let done = 0
  for (const place of places.slice(0, count)) {
    out += text.slice(done, place) + to
    done = place + from.length
  }
  return out + text.slice(done)
}

function placesOf(text: string, part: string): number[] {
  const places: number[] = []
  for (let at = text.indexOf(part); at !== -1; at = text.indexOf(part, at + part.length)) places.push(at)
  return places
}

/** Before each character and at the end, as in CEL, where an empty text is found everywhere. */
function boundaries(text: string): number[] {
  spend(stepsOf(text.length * placeNs))
  const places = [0]
  let at = 0
  for (const character of text) {
    at += character.length
    places.push(at)
  }
  return places
}

export const textFunctions: CelFunc[] = [
  celMethod('replace', STRING, [STRING, STRING], STRING, function (from, to) {
    return replace(this, from, to, -1n)
  }),
  celMethod('replace', STRING, [STRING, STRING, INT], STRING, function (from, to, most) {
    return replace(this, from, to, most)
  }),
  // Charged by its name, in functions.ts.
  celMethod('reverse', STRING, [], STRING, function () {
    return [...this].reverse().join('')
  }),
]
