import type { JsonSchema } from '../types.js'

const id = '0198c5a0-7b2e-7c1a-9f3e-2a4b6c8d0e1f'

/** What fields of these names look like; others are made from their type. */
const byName: Readonly<Record<string, unknown>> = {
  name: 'order-fulfilment',
  workflow: 'order-fulfilment',
  email: 'ada@example.org',
  slug: 'shop',
  uses: 'http',
  key: 'fetch',
  task: 'fetch',
  version: 1,
  attempt: 1,
  maxAttempts: 3,
  traceId: '4bf92f3577b34da6a3ce929d0e0e4736',
  tokenType: 'Bearer',
  expiresIn: 900,
  url: 'https://shop.example/hooks/millrace',
  contentType: 'text/csv',
  message: 'GET https://shop.example/orders/1001 answered 200',
  cron: '0 6 * * 1-5',
  timezone: 'Europe/Berlin',
  definition: { name: 'order-fulfilment', tasks: { fetch: { uses: 'http', with: { url: 'https://shop.example/' } } } },
}

/**
 * An answer that fits the schema: first values of enumerations, what is always there, one item of each list, and null
 * for an object that may be absent.
 */
export function sampleOf(schema: JsonSchema, name = ''): unknown {
  if (schema.const !== undefined) return schema.const
  if (Array.isArray(schema.enum)) return schema.enum[0]
  const choices = (schema.anyOf ?? schema.oneOf ?? []) as JsonSchema[]
  const [choice] = choices
  if (choice !== undefined) {
    const mayBeNull = choices.some((one) => one.type === 'null')
    return mayBeNull && (choice.type === 'object' || name === 'reason') ? null : sampleOf(choice, name)
  }
  const type = Array.isArray(schema.type) ? schema.type[0] : schema.type
  const known = byName[name]
  if (known !== undefined && (type === undefined || type === jsonType(known))) return known
  if (type === 'object') return sampleObject(schema)
  if (type === 'array') return [sampleOf(schema.items as JsonSchema, name)]
  if (type === 'integer' || type === 'number') return schema.minimum ?? 1
  if (type === 'boolean') return false
  return type === 'string' ? sampleText(schema, name) : null
}

function sampleObject(schema: JsonSchema): Record<string, unknown> {
  const all = Object.entries((schema.properties ?? {}) as Record<string, JsonSchema>)
  const required = schema.required as readonly string[] | undefined
  const properties = required === undefined ? all : all.filter(([property]) => required.includes(property))
  return Object.fromEntries(properties.map(([property, inner]) => [property, sampleOf(inner, property)]))
}

function sampleText(schema: JsonSchema, name: string): string {
  if (schema.format === 'date-time') return '2026-01-01T06:00:00.000Z'
  const text = /^(id|.*Id)$/.test(name) ? id : schema.pattern === undefined ? name || 'text' : ''
  return text.slice(0, (schema.maxLength as number | undefined) ?? text.length)
}

const jsonType = (value: unknown): string =>
  typeof value === 'number' ? 'integer' : typeof value === 'object' ? 'object' : typeof value
