import type { JsonSchema } from '../types.js'
import type { SchemaNames } from './schema-names.js'

/** Replaces named schemas by references and keeps what they stand for, once each. */
export class References {
  readonly schemas: Record<string, JsonSchema> = {}

  constructor(private readonly names: SchemaNames) {}

  of(schema: JsonSchema): JsonSchema {
    const name = this.names.get(schema)
    if (name === undefined) return this.inside(schema)
    this.schemas[name] ??= this.inside(schema)
    return { $ref: `#/components/schemas/${name}` }
  }

  private inside(schema: JsonSchema): JsonSchema {
    return Object.fromEntries(Object.entries(schema).map(([keyword, value]) => [keyword, this.walk(value)]))
  }

  private walk(value: unknown): unknown {
    if (Array.isArray(value)) return value.map((item) => this.walk(item))
    return typeof value === 'object' && value !== null ? this.of(value as JsonSchema) : value
  }
}
