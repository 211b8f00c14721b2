import type { FieldError } from '@millrace/errors'
import type { FieldPath, Positions } from './field-path.js'
import { toPointer } from './field-path.js'
import { utf8Bytes } from './json-value.js'
import { limits } from './limits.js'
import { parseYaml } from './parse-yaml.js'
import { findDuplicates, jsonPositions, lineIndex } from './scan-json.js'

export type DefinitionContentType = 'application/json' | 'application/yaml'

export interface ParsedDefinition {
  value?: unknown
  errors: FieldError[]
  positions?: Positions
}

export function parseDefinition(text: string, contentType: DefinitionContentType): ParsedDefinition {
  if (utf8Bytes(text) > limits.definitionBytes) {
    return {
      errors: [{ path: '', code: 'too_large', message: `a definition is at most ${limits.definitionBytes} bytes` }],
    }
  }
  return contentType === 'application/json' ? parseJson(text) : parseYaml(text)
}

function parseJson(text: string): ParsedDefinition {
  const lineAt = lineIndex(text)
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    const position = /position (\d+)/.exec(message)?.[1]
    const line = position === undefined ? {} : { line: lineAt(Number(position)) }
    return { errors: [{ path: '', code: 'malformed', message: `not JSON: ${message}`, ...line }] }
  }
  const errors = findDuplicates(text, limits.errors).map(({ path, offset }) => duplicate(path, lineAt(offset)))
  return { value, errors, positions: jsonPositions(text) }
}

const duplicate = (path: FieldPath, line: number): FieldError => ({
  path: toPointer(path),
  code: 'duplicate_key',
  message: `${String(path.at(-1))} stands here twice`,
  line,
})
