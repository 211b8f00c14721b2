import type { CelList, CelMap, CelValue } from '@bufbuild/cel'
import { getOwn, isObject, type JsonObject } from '../json-value.js'
import { checkListSize, spend } from './budget.js'
import { ExpressionError } from './expression-error.js'

const listMark = Symbol.for('@bufbuild/cel/list')
const mapMark = Symbol.for('@bufbuild/cel/map')
const maxInt = 2 ** 63

/**
 * Values are wrapped when an expression reaches them, not before: an output may be 8 MiB of which one number is read.
 * A JSON integer becomes a CEL int (bigint), unless it is out of int64's range or negative zero.
 */
export function jsonToCel(value: unknown): CelValue {
  switch (typeof value) {
    case 'number':
      return isCelInt(value) ? BigInt(value) : value
    case 'string':
    case 'boolean':
      return value
    case 'object':
      if (value === null) return null
      if (Array.isArray(value)) return lazyList(value)
      if (isObject(value)) return lazyMap(value)
      break
    default:
      break
  }
  throw new ExpressionError('not_json', `a value of type ${typeof value} is not JSON`)
}

const isCelInt = (n: number): boolean => Number.isInteger(n) && n >= -maxInt && n < maxInt && !Object.is(n, -0)

const sources = new WeakMap<object, unknown>()

/** The JSON value that a wrapper stands for, so that passing a value through copies nothing. */
export const sourceOf = (value: object): unknown => sources.get(value)

function lazyMap(source: JsonObject): CelMap {
  const map = new JsonMap(source) as unknown as CelMap
  sources.set(map, source)
  return map
}

/**
 * A CEL map over own properties only: `constructor` and its kin stay invisible. It carries the library's mark rather
 * than being wrapped by `celMap`, whose `has` says that a key with the value null is absent.
 */
class JsonMap implements ReadonlyMap<string, CelValue> {
  readonly [mapMark] = {}
  readonly #source: JsonObject
  #keys: string[] | undefined

  constructor(source: JsonObject) {
    this.#source = source
  }

  #ownKeys(): string[] {
    if (this.#keys === undefined) {
      this.#keys = Object.keys(this.#source)
      checkListSize(this.#keys.length)
      spend(this.#keys.length)
    }
    return this.#keys
  }

  get size(): number {
    return this.#ownKeys().length
  }

  get(key: unknown): CelValue | undefined {
    spend(1)
    if (typeof key !== 'string') return undefined
    const value = getOwn(this.#source, key)
    return value === undefined ? undefined : jsonToCel(value)
  }

  has(key: string): boolean {
    return this.get(key) !== undefined
  }

  forEach(callback: (value: CelValue, key: string, map: ReadonlyMap<string, CelValue>) => void): void {
    for (const [key, value] of this.entries()) callback(value, key, this)
  }

  *entries(): MapIterator<[string, CelValue]> {
    for (const key of this.#ownKeys()) {
      const value = this.get(key)
      if (value !== undefined) yield [key, value]
    }
  }

  *keys(): MapIterator<string> {
    for (const [key] of this.entries()) yield key
  }

  *values(): MapIterator<CelValue> {
    for (const [, value] of this.entries()) yield value
  }

  [Symbol.iterator](): MapIterator<[string, CelValue]> {
    return this.entries()
  }
}

/** The library asks a list for its mark, `size`, `get` and iteration, and nothing else. */
abstract class MarkedList {
  readonly [listMark] = {}
  abstract readonly size: number
  abstract get(index: number): CelValue | undefined

  *values(): IterableIterator<CelValue> {
    for (let i = 0; i < this.size; i++) yield this.get(i) as CelValue
  }

  [Symbol.iterator](): IterableIterator<CelValue> {
    return this.values()
  }
}

const asCelList = (list: MarkedList): CelList => list as unknown as CelList

class JsonList extends MarkedList {
  readonly size: number
  readonly #source: readonly unknown[]

  constructor(source: readonly unknown[]) {
    super()
    this.#source = source
    this.size = source.length
  }

  get(index: number): CelValue | undefined {
    spend(1)
    const value = this.#source[Number(index)]
    return value === undefined ? undefined : jsonToCel(value)
  }
}

function lazyList(source: readonly unknown[]): CelList {
  checkListSize(source.length)
  const list = asCelList(new JsonList(source))
  sources.set(list, source)
  return list
}

/** A prefix of a shared buffer; appending to the longest prefix reuses the buffer, as a slice does in Go. */
class GrownList extends MarkedList {
  readonly size: number
  readonly buffer: CelValue[]

  constructor(buffer: CelValue[]) {
    super()
    this.buffer = buffer
    this.size = buffer.length
  }

  get(index: number): CelValue | undefined {
    spend(1)
    const at = Number(index)
    return at < this.size ? this.buffer[at] : undefined
  }
}

/**
 * `map` and `filter` expand to `result + [item]`. The library's own concatenation nests one wrapper an item: reading
 * a result of 3,000 items took 209 ms, and deeper ones overflow the stack.
 */
export function concatLists(left: CelList, right: CelList): CelList {
  checkListSize(left.size + right.size)
  spend(1 + right.size)
  const grown = left as unknown as MarkedList
  if (grown instanceof GrownList && grown.buffer.length === grown.size) {
    for (const item of right) grown.buffer.push(item)
    return asCelList(new GrownList(grown.buffer))
  }
  spend(left.size)
  return asCelList(new GrownList([...left, ...right]))
}
