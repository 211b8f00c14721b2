import { LRUCache } from 'lru-cache'
import { RE2JS } from 're2js'
import { limits } from '../limits.js'
import { patternSize } from './pattern-size.js'

/** A user's regular expression: RE2, whose time is bounded by text × instructions, and few instructions. */
export interface UserPattern {
  test(text: string): boolean
  /** Nanoseconds that a text of so many characters may take at most, as measured on a common machine. */
  costNs(length: number): number
}

export class PatternError extends Error {
  override readonly name = 'PatternError'

  constructor(
    readonly code: 'pattern_too_long' | 'pattern_too_complex' | 'bad_pattern',
    message: string,
  ) {
    super(message)
  }
}

/** Compiling takes about 10 µs an instruction, which a pattern in a loop would pay for each item. */
export const compileCostNs = 100_000
const cache = new LRUCache<string, UserPattern>({ max: 500 })

export const isCompiled = (source: string): boolean => cache.has(source)

/** Throws PatternError. */
export function compilePattern(source: string): UserPattern {
  const known = cache.get(source)
  if (known !== undefined) return known
  assertSmall(source)
  const made = compile(source)
  cache.set(source, made)
  return made
}

function assertSmall(source: string): void {
  if (source.length > limits.patternLength) {
    throw new PatternError('pattern_too_long', `a pattern is over ${limits.patternLength} characters`)
  }
  const size = patternSize(source)
  if (size > limits.patternSize) {
    const message = `a pattern has about ${size} steps, more than ${limits.patternSize}; repeat fewer times`
    throw new PatternError('pattern_too_complex', message)
  }
}

function compile(source: string): UserPattern {
  let compiled: RE2JS
  try {
    compiled = RE2JS.compile(source)
  } catch (error) {
    throw new PatternError('bad_pattern', error instanceof Error ? error.message : String(error))
  }
  const size = compiled.programSize()
  return {
    test: (text) => compiled.matcher(text).find(),
    // 20 ns for a character and an instruction was the most that any pattern took, and 110 ns a character for small ones.
    costNs: (length) => 5_000 + length * (110 + 20 * size),
  }
}
