/** What a JSON Schema allows at a path. Pure. */

export type Schema = Readonly<Record<string, unknown>>

const isSchema = (value: unknown): value is Schema =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function resolve(root: Schema, schema: Schema, depth = 0): Schema[] {
  if (depth > 8) return []
  const ref = schema.$ref
  if (typeof ref === 'string' && ref.startsWith('#/')) {
    const found = ref
      .slice(2)
      .split('/')
      .reduce<unknown>((at, key) => (isSchema(at) ? at[key] : undefined), root)
    return isSchema(found) ? resolve(root, found, depth + 1) : []
  }
  const parts = ['anyOf', 'oneOf', 'allOf'].flatMap((word) => {
    const list = schema[word]
    return Array.isArray(list) ? list.filter(isSchema).flatMap((each) => resolve(root, each, depth + 1)) : []
  })
  return [schema, ...parts]
}

function step(root: Schema, schemas: readonly Schema[], key: string): Schema[] {
  return schemas.flatMap((schema) => {
    const { properties, additionalProperties, items } = schema
    const found: unknown[] = []
    if (key === '0' && isSchema(items)) found.push(items)
    if (isSchema(properties) && isSchema(properties[key])) found.push(properties[key])
    else if (isSchema(additionalProperties)) found.push(additionalProperties)
    return found.filter(isSchema).flatMap((each) => resolve(root, each))
  })
}

export const schemasAt = (root: Schema, path: readonly string[]): Schema[] =>
  path.reduce((schemas, key) => step(root, schemas, key), resolve(root, root))

export interface Choice {
  label: string
  detail: string
}

export function keysAt(root: Schema, path: readonly string[]): Choice[] {
  const choices = new Map<string, Choice>()
  for (const { properties, required } of schemasAt(root, path)) {
    if (!isSchema(properties)) continue
    for (const [label, schema] of Object.entries(properties)) {
      const needed = Array.isArray(required) && required.includes(label)
      const described = isSchema(schema)
        ? resolve(root, schema).find(({ description }) => description)?.description
        : ''
      choices.set(label, {
        label,
        detail: [needed ? 'required' : '', String(described ?? '')].filter(Boolean).join(' · '),
      })
    }
  }
  return [...choices.values()]
}

export function valuesAt(root: Schema, path: readonly string[]): Choice[] {
  const values = schemasAt(root, path).flatMap((schema) => {
    const found = Array.isArray(schema.enum) ? (schema.enum as unknown[]) : 'const' in schema ? [schema.const] : []
    return schema.type === 'boolean' ? [...found, true, false] : found
  })
  return [...new Set(values.map(String))].map((label) => ({ label, detail: '' }))
}
