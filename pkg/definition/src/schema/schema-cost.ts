import { fromPointer } from '../field-path.js'
import { getOwn, isObject, type JsonObject } from '../json-value.js'
import { compilePattern } from '../pattern/user-pattern.js'

/** Thrown through the walk when it has counted enough. */
class Enough extends Error {}

interface Count {
  left: number
  root: JsonObject
  targets: Map<string, unknown>
  sizes: Map<unknown, number>
}

const maxDepth = 600
const stepNs = 100

/**
 * How many steps, of 30 to 210 ns where measured, a validator takes at most for this input: it goes the way a validator goes, but takes
 * every branch and compares nothing. Infinity once it is more than `most`, which also bounds the counting itself.
 * 200 times `contains` over 50,000 items is two kilobytes of schema and took 19 s.
 */
export function validationCost(schema: unknown, input: unknown, most: number): number {
  if (!isObject(schema)) return 1
  const count: Count = { left: most, root: schema, targets: new Map(), sizes: new Map() }
  try {
    visit(schema, input, count, 0)
    return most - count.left
  } catch (error) {
    if (error instanceof Enough || error instanceof RangeError) return Number.POSITIVE_INFINITY
    throw error
  }
}

function spend(count: Count, steps: number): void {
  count.left -= steps
  if (count.left < 0) throw new Enough()
}

function visit(schema: unknown, value: unknown, count: Count, depth: number): void {
  if (depth > maxDepth) throw new Enough()
  const keywords = isObject(schema) ? Object.keys(schema) : []
  spend(count, 1 + keywords.length)
  if (!isObject(schema)) return
  const inner = (sub: unknown, part: unknown): void => visit(sub, part, count, depth + 1)
  if (typeof schema.$ref === 'string') inner(targetOf(schema.$ref, count), value)
  for (const keyword of keywords) {
    const sub = schema[keyword]
    if (lists.has(keyword) && Array.isArray(sub)) for (const branch of sub) inner(branch, value)
    else if (same.has(keyword)) inner(sub, value)
    else if (keyword === 'dependentSchemas' && isObject(sub))
      for (const branch of Object.values(sub)) inner(branch, value)
  }
  if (schema.enum !== undefined || schema.const !== undefined) {
    spend(count, sizeOf(schema.enum, count) + sizeOf(schema.const, count))
  }
  if (typeof value === 'string') visitText(schema, value, count)
  else if (Array.isArray(value)) visitList(schema, value, count, inner)
  else if (isObject(value)) visitObject(schema, value, count, inner)
}

const lists = new Set(['allOf', 'anyOf', 'oneOf'])
const same = new Set(['not', 'if', 'then', 'else'])

type Inner = (schema: unknown, value: unknown) => void

function visitText(schema: JsonObject, text: string, count: Count): void {
  if (typeof schema.pattern === 'string') spend(count, patternCost(schema.pattern, text))
  // A format or a length goes over the text once.
  if (schema.format !== undefined || schema.maxLength !== undefined || schema.minLength !== undefined) {
    spend(count, text.length >> 2)
  }
}

function visitList(schema: JsonObject, items: readonly unknown[], count: Count, inner: Inner): void {
  const first = Array.isArray(schema.prefixItems) ? schema.prefixItems : []
  for (const [index, sub] of first.entries()) if (index < items.length) inner(sub, items[index])
  for (const keyword of ['items', 'contains', 'unevaluatedItems']) {
    if (schema[keyword] !== undefined) for (const item of items) inner(schema[keyword], item)
  }
  if (schema.uniqueItems === true) spend(count, 4 * sizeOf(items, count))
}

function visitObject(schema: JsonObject, value: JsonObject, count: Count, inner: Inner): void {
  const keys = Object.keys(value)
  const properties = isObject(schema.properties) ? schema.properties : {}
  const patterns = isObject(schema.patternProperties) ? Object.keys(schema.patternProperties) : []
  spend(count, keys.length + Object.keys(properties).length + sizeOf(schema.required, count))
  spend(count, sizeOf(schema.dependentRequired, count))
  for (const key of Object.keys(properties)) if (Object.hasOwn(value, key)) inner(properties[key], value[key])
  for (const key of keys) {
    for (const pattern of patterns) {
      spend(count, patternCost(pattern, key))
      inner((schema.patternProperties as JsonObject)[pattern], value[key])
    }
    if (schema.additionalProperties !== undefined) inner(schema.additionalProperties, value[key])
    if (schema.unevaluatedProperties !== undefined) inner(schema.unevaluatedProperties, value[key])
    if (schema.propertyNames !== undefined) inner(schema.propertyNames, key)
  }
}

const patternCost = (source: string, text: string): number =>
  Math.ceil(compilePattern(source).costNs(text.length) / stepNs)

/** Values within a value, long texts counting more: what comparing with it takes at most. */
function sizeOf(value: unknown, count: Count): number {
  if (typeof value === 'string') return 1 + (value.length >> 5)
  if (typeof value !== 'object' || value === null) return 1
  const known = count.sizes.get(value)
  if (known !== undefined) return known
  let size = 1
  for (const part of Object.values(value)) size += sizeOf(part, count)
  count.sizes.set(value, size)
  return size
}

function targetOf(reference: string, count: Count): unknown {
  if (!count.targets.has(reference)) count.targets.set(reference, resolveReference(count.root, reference))
  return count.targets.get(reference)
}

/** What a reference into its own schema names; undefined when there is nothing. */
export function resolveReference(root: JsonObject, reference: string): unknown {
  let pointer: string
  try {
    pointer = decodeURIComponent(reference.slice(1))
  } catch {
    return undefined
  }
  if (pointer !== '' && !pointer.startsWith('/')) return undefined
  let node: unknown = root
  for (const segment of fromPointer(pointer)) {
    if (Array.isArray(node)) node = node[Number(segment)]
    else node = isObject(node) ? getOwn(node, segment) : undefined
  }
  return node
}
