import {
  type CelFunc,
  CelScalar,
  type CelValue,
  celFunc,
  celList,
  celMap,
  celMethod,
  isCelList,
  isCelMap,
  listType,
  mapType,
} from '@bufbuild/cel'
import { ExpressionError } from './expression-error.js'

const { BOOL, DYN } = CelScalar
const LIST = listType(DYN)
const MAP = mapType(DYN, DYN)
const mapMark = Symbol.for('@bufbuild/cel/map')

/**
 * A value that may be absent. It carries the library's mark of a map, so that `.field` and `[key]` on it ask the value
 * inside and are absent in their turn, as in CEL: `a.?b.c` is `a.?b.?c`.
 */
export class Optional {
  readonly [mapMark] = {}
  readonly value: CelValue | undefined

  constructor(value?: CelValue) {
    this.value = value
  }

  get(key: unknown): CelValue {
    return asCel(at(this.value, key))
  }

  has(key: unknown): boolean {
    return at(this.value, key).value !== undefined
  }

  get size(): number {
    throw unopened()
  }

  // biome-ignore lint/correctness/useYield: it can only fail
  *[Symbol.iterator](): Generator<[CelValue, CelValue]> {
    throw unopened()
  }

  entries(): Generator<[CelValue, CelValue]> {
    return this[Symbol.iterator]()
  }
}

const asCel = (optional: Optional): CelValue => optional as unknown as CelValue

export const isOptional = (value: unknown): value is Optional => value instanceof Optional

export const unopened = () =>
  new ExpressionError('expression_failed', 'an optional is no value by itself: use orValue, hasValue or value')

/** Absent are: a key that a map lacks, a place that a list lacks, and whatever is asked of a scalar or of null. */
function at(target: CelValue | undefined, key: unknown): Optional {
  if (isOptional(target)) return at(target.value, key)
  if (isCelMap(target)) return new Optional(target.get(key as never))
  if (!isCelList(target) || typeof key !== 'bigint' || key < 0n || key >= BigInt(target.size)) return new Optional()
  return new Optional(target.get(Number(key)))
}

function opened(value: unknown): Optional {
  if (isOptional(value)) return value
  throw new ExpressionError('expression_failed', 'this needs an optional, such as a.?b or optional.of(a)')
}

function present(value: unknown): CelValue {
  const inside = opened(value).value
  if (inside === undefined) throw new ExpressionError('expression_failed', 'the optional has no value')
  return inside
}

function isZero(value: CelValue): boolean {
  if (value === null || value === false || value === '' || value === 0 || value === 0n) return true
  return (isCelList(value) || isCelMap(value)) && !isOptional(value) && value.size === 0
}

/** What stays of the entry at `place`: itself, or where it is optional the value inside, if there is one. */
function kept(value: CelValue, place: number, optional: ReadonlySet<unknown>): CelValue[] {
  if (!optional.has(BigInt(place))) return [value]
  const { value: inside } = opened(value)
  return inside === undefined ? [] : [inside]
}

export const optionalFunctions: CelFunc[] = [
  celFunc('optional.of', [DYN], DYN, (value) => asCel(new Optional(value))),
  celFunc('optional.none', [], DYN, () => asCel(new Optional())),
  celFunc('optional.ofNonZeroValue', [DYN], DYN, (value) =>
    asCel(isZero(value) ? new Optional() : new Optional(value)),
  ),
  celMethod('opt', DYN, [DYN], DYN, function (key) {
    return asCel(at(this as CelValue, key))
  }),
  // The three of `optMap` and `optFlatMap`: see optional-syntax.ts.
  celMethod('optItems', DYN, [], LIST, function () {
    const { value } = opened(this)
    return celList(value === undefined ? [] : [value])
  }),
  celMethod('optFirst', LIST, [], DYN, function () {
    return asCel(new Optional(this.get(0)))
  }),
  celMethod('optFlatFirst', LIST, [], DYN, function () {
    return asCel(this.size === 0 ? new Optional() : opened(this.get(0)))
  }),
  celMethod('optEntries', LIST, [LIST], LIST, function (places) {
    const optional = new Set(places)
    return celList([...this].flatMap((item, i) => kept(item, i, optional)))
  }),
  celMethod('optEntries', MAP, [LIST], MAP, function (places) {
    const optional = new Set(places)
    const entries = [...this].flatMap(([key, value], i) =>
      kept(value, i, optional).map((inside): [typeof key, CelValue] => [key, inside]),
    )
    return celMap(new Map(entries))
  }),
  celMethod('hasValue', DYN, [], BOOL, function () {
    return opened(this).value !== undefined
  }),
  celMethod('value', DYN, [], DYN, function () {
    return present(this)
  }),
  celMethod('orValue', DYN, [DYN], DYN, function (other) {
    return opened(this).value ?? other
  }),
  celMethod('or', DYN, [DYN], DYN, function (other) {
    const own = opened(this)
    return asCel(own.value === undefined ? opened(other) : own)
  }),
]
