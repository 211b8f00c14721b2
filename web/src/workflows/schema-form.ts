/** A form from a JSON Schema: which fields there are, and how what is typed becomes JSON. Pure. */

export type FieldKind =
  | 'text'
  | 'long-text'
  | 'number'
  | 'integer'
  | 'boolean'
  | 'choice'
  | 'date-time'
  | 'group'
  | 'json'

export interface FormField {
  /** Keys from the input's root. */
  path: readonly string[]
  label: string
  kind: FieldKind
  required: boolean
  hint: string
  choices?: readonly unknown[]
  fields?: readonly FormField[]
  initial: unknown
}

type Schema = Readonly<Record<string, unknown>>

const isObject = (value: unknown): value is Schema =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const deepest = 4

/** Undefined where the schema describes no object: then only the raw JSON is offered. */
export function fieldsOf(schema: unknown, path: readonly string[] = []): FormField[] | undefined {
  if (!isObject(schema) || !isObject(schema.properties)) return undefined
  const required = Array.isArray(schema.required) ? schema.required : []
  return Object.entries(schema.properties).map(([key, property]) =>
    fieldOf(isObject(property) ? property : {}, [...path, key], required.includes(key)),
  )
}

function fieldOf(schema: Schema, path: readonly string[], required: boolean): FormField {
  const kind = kindOf(schema, path.length)
  const label = typeof schema.title === 'string' ? schema.title : (path.at(-1) ?? '')
  const fields = kind === 'group' ? fieldsOf(schema, path) : undefined
  return {
    path,
    label,
    kind,
    required,
    hint: hintOf(schema),
    initial: schema.default,
    ...(Array.isArray(schema.enum) ? { choices: schema.enum as unknown[] } : {}),
    ...(fields ? { fields } : {}),
  }
}

function kindOf(schema: Schema, depth: number): FieldKind {
  if (Array.isArray(schema.enum)) return 'choice'
  const type = Array.isArray(schema.type) ? schema.type.find((each) => each !== 'null') : schema.type
  if (type === 'object') return isObject(schema.properties) && depth < deepest ? 'group' : 'json'
  if (type === 'number' || type === 'integer' || type === 'boolean') return type
  if (type !== 'string') return 'json'
  if (schema.format === 'date-time') return 'date-time'
  return typeof schema.maxLength === 'number' && schema.maxLength > 300 ? 'long-text' : 'text'
}

function hintOf(schema: Schema): string {
  const bounds = [
    schema.minimum === undefined ? '' : `at least ${schema.minimum}`,
    schema.maximum === undefined ? '' : `at most ${schema.maximum}`,
    schema.pattern === undefined ? '' : `like ${schema.pattern}`,
  ].filter(Boolean)
  return [typeof schema.description === 'string' ? schema.description : '', bounds.join(', ')]
    .filter(Boolean)
    .join(' – ')
}

export function initialInput(fields: readonly FormField[]): Record<string, unknown> {
  const input: Record<string, unknown> = {}
  for (const { path, initial, fields: inner } of fields) {
    const key = path.at(-1) ?? ''
    const nested = inner ? initialInput(inner) : undefined
    const value = initial ?? (nested && Object.keys(nested).length > 0 ? nested : undefined)
    if (value !== undefined) input[key] = value
  }
  return input
}

export const valueAt = (input: unknown, path: readonly string[]): unknown =>
  path.reduce<unknown>((at, key) => (isObject(at) ? at[key] : undefined), input)

/** `undefined` takes the key out, so that a field left empty is absent rather than empty text. */
export function withValue(input: unknown, path: readonly string[], value: unknown): Record<string, unknown> {
  const base = isObject(input) ? input : {}
  const [key, ...rest] = path
  if (key === undefined) return base
  if (rest.length > 0) {
    const nested = withValue(base[key], rest, value)
    const { [key]: _, ...others } = base
    return Object.keys(nested).length === 0 && !(key in base) ? others : { ...base, [key]: nested }
  }
  const { [key]: _, ...others } = base
  return value === undefined ? others : { ...base, [key]: value }
}

/** What a control's text means. Text that is no number stays text: the API then says what is wrong with it. */
export function readText(kind: FieldKind, text: string): unknown {
  if (text === '') return undefined
  if (kind === 'number' || kind === 'integer') return Number.isFinite(Number(text)) ? Number(text) : text
  if (kind === 'date-time') return Number.isNaN(Date.parse(text)) ? text : new Date(text).toISOString()
  return text
}
