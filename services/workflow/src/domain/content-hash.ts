import { createHash } from 'node:crypto'

/** The order of fields says nothing about a definition, so it must not make a new version. */
export function contentHash(definition: unknown): string {
  return createHash('sha256').update(canonical(definition)).digest('hex')
}

function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join()}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
  return `{${entries.map(([key, item]) => `${JSON.stringify(key)}:${canonical(item)}`).join()}}`
}
