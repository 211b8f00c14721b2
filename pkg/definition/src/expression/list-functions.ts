import {
  type CelFunc,
  CelScalar,
  type CelValue,
  celFunc,
  celList,
  celMethod,
  isCelList,
  isCelMap,
  isCelUint,
  listType,
} from '@bufbuild/cel'
import { limits } from '../limits.js'
import { checkListSize, spend, stepsOf } from './budget.js'
import { ExpressionError } from './expression-error.js'

const { DYN, INT } = CelScalar
const LIST = listType(DYN)

const failed = (message: string) => new ExpressionError('expression_failed', message)

/** Reading a list charges for each item of it. */
function itemsOf(list: Iterable<CelValue>): CelValue[] {
  const items = [...list]
  spend(items.length)
  return items
}

function flatten(list: Iterable<CelValue>, depth: bigint): CelValue[] {
  if (depth < 0n) throw failed('flatten needs a depth of 0 or more')
  const out: CelValue[] = []
  const add = (items: Iterable<CelValue>, left: bigint): void => {
    for (const item of items) {
      spend(1)
      if (left > 0n && isCelList(item)) add(item, left - 1n)
      else checkListSize(out.push(item))
    }
  }
  add(list, depth > 100n ? 100n : depth)
  return out
}

function slice(list: Iterable<CelValue>, from: bigint, to: bigint): CelValue[] {
  const items = itemsOf(list)
  if (from < 0n || to < from || to > BigInt(items.length)) {
    throw failed(`slice(${from}, ${to}) is not within a list of ${items.length} items`)
  }
  return items.slice(Number(from), Number(to))
}

type Comparable = string | number | bigint | boolean

function kindOf(value: CelValue | undefined): 'number' | 'string' | 'boolean' | undefined {
  if (typeof value === 'bigint' || typeof value === 'number') return 'number'
  return typeof value === 'string' || typeof value === 'boolean' ? (typeof value as 'string' | 'boolean') : undefined
}

/** A text costs by what two of them may have in common. */
function compare(left: Comparable, right: Comparable): number {
  const texts = typeof left === 'string' && typeof right === 'string'
  spend(texts ? 1 + (Math.min(left.length, right.length) >> 5) : 1)
  return left < right ? -1 : left > right ? 1 : 0
}

function sort(list: Iterable<CelValue>): CelValue[] {
  const items = itemsOf(list)
  const kind = kindOf(items[0])
  if (items.some((item) => kindOf(item) !== kind || kind === undefined || Number.isNaN(item))) {
    throw failed('sort needs a list of numbers, of texts or of truth values')
  }
  return (items as Comparable[]).sort(compare)
}

/** Equal values have equal keys: 1 and 1.0, and maps whatever the order of their entries. */
function keyOf(value: CelValue): string {
  spend(1)
  if (typeof value === 'string') {
    spend(stepsOf(value.length * 10))
    return JSON.stringify(value)
  }
  if (typeof value === 'bigint' || (typeof value === 'number' && Number.isInteger(value))) return `n${BigInt(value)}`
  if (isCelUint(value)) return `n${value.value}`
  if (isCelList(value)) return bounded(`[${[...value].map(keyOf).join()}]`)
  if (isCelMap(value))
    return bounded(
      `{${[...value]
        .map(([k, v]) => `${keyOf(k)}:${keyOf(v)}`)
        .sort()
        .join()}}`,
    )
  if (value === null || typeof value !== 'object') return String(value)
  throw failed('distinct needs a list of JSON values')
}

function bounded(key: string): string {
  spend(stepsOf(key.length * 5))
  if (key.length > limits.resolvedBytes) {
    throw new ExpressionError('result_too_large', 'a value is too large to be compared with others')
  }
  return key
}

function distinct(list: Iterable<CelValue>): CelValue[] {
  const kept = new Map<string, CelValue>()
  for (const item of itemsOf(list)) {
    const key = keyOf(item)
    if (!kept.has(key)) kept.set(key, item)
  }
  return [...kept.values()]
}

function range(count: bigint): CelValue[] {
  if (count < 0n) throw failed('lists.range needs a number of 0 or more')
  checkListSize(count > BigInt(limits.listItems) ? limits.listItems + 1 : Number(count))
  spend(Number(count))
  return Array.from({ length: Number(count) }, (_, i) => BigInt(i))
}

function extreme(name: string, sign: 1 | -1, values: readonly CelValue[]): CelValue {
  const [first, ...rest] = values
  if (first === undefined || values.some((value) => kindOf(value) !== 'number')) throw failed(`${name} needs numbers`)
  return rest.reduce((best, each) => (compare(each as Comparable, best as Comparable) === sign ? each : best), first)
}

/** Of one list, or of up to five values. */
function extremes(name: string, sign: 1 | -1): CelFunc[] {
  const ofOne = (value: CelValue) => extreme(name, sign, isCelList(value) ? itemsOf(value) : [value])
  const more = [2, 3, 4, 5].map((count) =>
    celFunc(
      name,
      Array.from({ length: count }, () => DYN),
      DYN,
      (...values) => extreme(name, sign, values),
    ),
  )
  return [celFunc(name, [DYN], DYN, ofOne), ...more]
}

export const listFunctions: CelFunc[] = [
  celMethod('flatten', LIST, [], LIST, function () {
    return celList(flatten(this, 1n))
  }),
  celMethod('flatten', LIST, [INT], LIST, function (depth) {
    return celList(flatten(this, depth))
  }),
  celMethod('slice', LIST, [INT, INT], LIST, function (from, to) {
    return celList(slice(this, from, to))
  }),
  celMethod('sort', LIST, [], LIST, function () {
    return celList(sort(this))
  }),
  celMethod('distinct', LIST, [], LIST, function () {
    return celList(distinct(this))
  }),
  celMethod('reverse', LIST, [], LIST, function () {
    return celList(itemsOf(this).reverse())
  }),
  celFunc('lists.range', [INT], LIST, (count) => celList(range(count))),
  ...extremes('math.greatest', 1),
  ...extremes('math.least', -1),
]
