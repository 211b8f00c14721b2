import type { FieldError } from '@millrace/errors'
import { type Document, isMap, isScalar, isSeq, LineCounter, parseDocument } from 'yaml'
import type { FieldPath, Positions } from './field-path.js'
import { toPointer } from './field-path.js'
import { utf8Bytes } from './json-value.js'
import { limits } from './limits.js'
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
  const errors = findDuplicates(text).map(({ path, offset }) => duplicate(path, lineAt(offset)))
  return { value, errors, positions: jsonPositions(text) }
}

const duplicate = (path: FieldPath, line: number): FieldError => ({
  path: toPointer(path),
  code: 'duplicate_key',
  message: `${String(path.at(-1))} stands here twice`,
  line,
})

function parseYaml(text: string): ParsedDefinition {
  const lines = new LineCounter()
  try {
    const document = parseDocument(text, {
      lineCounter: lines,
      version: '1.2',
      schema: 'core',
      uniqueKeys: true,
      prettyErrors: false,
    })
    const errors = [...document.errors, ...document.warnings].map((error) => ({
      path: '',
      code: yamlCode(error.code),
      message: error.message,
      line: lines.linePos(error.pos[0]).line,
    }))
    if (errors.some((e) => e.code !== 'duplicate_key')) return { errors }
    const value: unknown = document.toJS({ maxAliasCount: limits.aliasCount })
    return { value, errors, positions: (path) => locateInYaml(document, lines, path) }
  } catch (error) {
    // The parser recurses into nesting, and counts aliases while it resolves them.
    const message =
      error instanceof RangeError ? 'nested too deeply' : error instanceof Error ? error.message : String(error)
    const code = error instanceof ReferenceError ? 'too_many_aliases' : 'malformed'
    return { errors: [{ path: '', code, message: `not YAML that can be read: ${message}` }] }
  }
}

function yamlCode(code: string): string {
  if (code === 'DUPLICATE_KEY') return 'duplicate_key'
  return code === 'TAG_RESOLVE_FAILED' ? 'custom_tag' : 'malformed'
}

function locateInYaml(document: Document.Parsed, lines: LineCounter, path: FieldPath): number | undefined {
  let node: unknown = document.contents
  let offset = startOf(node)
  for (const segment of path) {
    if (isMap(node)) {
      const pair = node.items.find((item) => isScalar(item.key) && String(item.key.value) === String(segment))
      if (pair === undefined) break
      offset = startOf(pair.key) ?? offset
      node = pair.value
    } else if (isSeq(node)) {
      const item = node.items[Number(segment)]
      if (item === undefined) break
      offset = startOf(item) ?? offset
      node = item
    } else break
  }
  return offset === undefined ? undefined : lines.linePos(offset).line
}

function startOf(node: unknown): number | undefined {
  const range = (node as { range?: [number, number, number] | null } | null)?.range
  return range?.[0]
}
