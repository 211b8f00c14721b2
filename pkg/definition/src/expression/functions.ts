import {
  type CelEnv,
  type CelFunc,
  CelScalar,
  type CelValue,
  celEnv,
  celFunc,
  celMethod,
  listType,
  mapType,
} from '@bufbuild/cel'
import { strings } from '@bufbuild/cel/ext'
import { limits } from '../limits.js'
import { compileCostNs, compilePattern, isCompiled, PatternError } from '../pattern/user-pattern.js'
import { artifactFunctions } from './artifact-functions.js'
import { spend, stepsOf } from './budget.js'
import { ExpressionError } from './expression-error.js'
import { formatText } from './format-text.js'
import { encodeJson, parseJson } from './json-functions.js'
import { concatLists } from './json-to-cel.js'
import { listFunctions } from './list-functions.js'
import { optionalFunctions } from './optional.js'
import { textFunctions } from './text-functions.js'

const { BOOL, DOUBLE, DYN, INT, STRING } = CelScalar
const LIST = listType(DYN)
const MAP = mapType(DYN, DYN)

// The library's `replace` and `format` can multiply text far beyond their arguments before anything can count it;
// text-functions.ts and format-text.ts have those that count first.
const leftOut = new Set(['replace', 'format'])

function addText(left: string, right: string): string {
  if (left.length + right.length > limits.resolvedBytes) {
    throw new ExpressionError('result_too_large', `a text is over ${limits.resolvedBytes} characters`)
  }
  return left + right
}

function matches(this: string, source: string): boolean {
  // Charged before it happens: neither compiling nor matching can be interrupted.
  if (!isCompiled(source)) spend(stepsOf(compileCostNs))
  try {
    const pattern = compilePattern(source)
    spend(stepsOf(pattern.costNs(this.length)))
    return pattern.test(this)
  } catch (error) {
    if (error instanceof PatternError) throw new ExpressionError(error.code, error.message)
    throw error
  }
}

function joinText(this: Iterable<CelValue>, separator = ''): string {
  let text = ''
  for (const item of this) {
    if (typeof item !== 'string') throw new ExpressionError('expression_failed', 'join needs a list of strings')
    text = addText(text, text === '' ? item : addText(separator, item))
  }
  return text
}

const mixed = (name: string, op: (l: number, r: number) => number): CelFunc[] => [
  celFunc(name, [INT, DOUBLE], DOUBLE, (l, r) => op(Number(l), r)),
  celFunc(name, [DOUBLE, INT], DOUBLE, (l, r) => op(l, Number(r))),
]

const own: CelFunc[] = [
  ...mixed('_+_', (l, r) => l + r),
  ...mixed('_-_', (l, r) => l - r),
  ...mixed('_*_', (l, r) => l * r),
  ...mixed('_/_', (l, r) => l / r),
  celFunc('_+_', [STRING, STRING], STRING, addText),
  celFunc('_+_', [LIST, LIST], LIST, concatLists),
  // The library's own `in` says that a key whose value is null is absent.
  celFunc('@in', [STRING, MAP], BOOL, (key, map) => map.get(key) !== undefined),
  ...optionalFunctions,
  ...listFunctions,
  ...textFunctions,
  formatText,
  ...artifactFunctions,
  celFunc('json.parse', [STRING], DYN, parseJson),
  celFunc('json.encode', [DYN], STRING, encodeJson),
  celMethod('matches', STRING, [STRING], BOOL, matches),
  celFunc('matches', [STRING, STRING], BOOL, (text, pattern) => matches.call(text, pattern)),
  celMethod('join', LIST, [], STRING, function () {
    return joinText.call(this)
  }),
  celMethod('join', LIST, [STRING], STRING, function (separator) {
    return joinText.call(this, separator)
  }),
]

/** Nanoseconds a character, of functions that go over a text character by character in JavaScript. */
const slow: ReadonlyMap<string, number> = new Map([
  ['lowerAscii', 110],
  ['upperAscii', 110],
  ['strings.quote', 180],
  ['split', 60],
  ['reverse', 110],
  ['charAt', 60],
  ['substring', 60],
])

/** Reading a time in a zone asks the platform's calendar: about 110 µs. */
const zonedNs = 150_000

/** Lists and maps are charged as they are read; text must be charged by its length. */
function textSteps(value: CelValue | undefined): number {
  return typeof value === 'string' || value instanceof Uint8Array ? value.length >> 5 : 0
}

/** What must be paid before the call, because the call itself may be most of an evaluation. */
function stepsBefore(name: string, target: CelValue | undefined, args: CelValue[]): number {
  const ns = slow.get(name)
  const text = target ?? args[0]
  if (ns !== undefined && typeof text === 'string') return stepsOf(text.length * ns)
  return name.startsWith('get') && args.length > 0 ? stepsOf(zonedNs) : 0
}

function metered(func: CelFunc): CelFunc {
  return Object.create(func, {
    call: {
      value(id: number, target: CelValue | undefined, args: CelValue[]) {
        spend(stepsBefore(func.name, target, args))
        const result = func.call(id, target, args)
        if (result !== undefined) spend(args.reduce((sum: number, arg) => sum + textSteps(arg), 1 + textSteps(target)))
        return result
      },
    },
  }) as CelFunc
}

const standard = celEnv({ funcs: [...strings.filter((f) => !leftOut.has(f.name)), ...own] })

/** One environment for all: it holds functions only, never a variable. */
export const environment: CelEnv = celEnv({ funcs: [...standard.funcs].map(metered) })

export const hasFunction = (name: string): boolean => environment.funcs.find(name) !== undefined
