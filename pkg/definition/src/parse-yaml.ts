import type { FieldError } from '@millrace/errors'
import { CST, type Document, isMap, isScalar, isSeq, Lexer, LineCounter, parseDocument } from 'yaml'
import type { FieldPath } from './field-path.js'
import { limits } from './limits.js'
import type { ParsedDefinition } from './parse.js'

export function parseYaml(text: string): ParsedDefinition {
  const refusal = faultOfTokens(text)
  if (refusal !== undefined) return { errors: [refusal] }
  const lines = new LineCounter()
  try {
    // The library looks for a key among all keys before it, again for each: ten thousand took 11 s.
    const options = {
      version: '1.2',
      schema: 'core',
      uniqueKeys: false,
      prettyErrors: false,
      logLevel: 'error',
    } as const
    const document = parseDocument(text, { ...options, lineCounter: lines })
    const errors = [...document.errors, ...document.warnings].slice(0, limits.errors).map((error) => ({
      path: '',
      code: error.code === 'TAG_RESOLVE_FAILED' ? 'custom_tag' : 'malformed',
      message: error.message,
      line: lines.linePos(error.pos[0]).line,
    }))
    if (errors.length > 0) return { errors }
    const keys = checkKeys(document, lines)
    if (keys.some((error) => error.code === 'malformed')) return { errors: keys }
    const value: unknown = document.toJS({ maxAliasCount: limits.aliasCount })
    return {
      value,
      errors: keys,
      positions: (paths) => paths.map((path) => locate(document, lines, path)),
    }
  } catch (error) {
    // The parser recurses into nesting, and counts aliases while it resolves them.
    const message =
      error instanceof RangeError ? 'nested too deeply' : error instanceof Error ? error.message : String(error)
    const code = error instanceof ReferenceError ? 'too_many_aliases' : 'malformed'
    return { errors: [{ path: '', code, message: `not YAML that can be read: ${message}` }] }
  }
}

/**
 * Before anything is built: a node costs the parser about a kilobyte, any other token (an end of line, a comment, an
 * anchor) up to a few hundred bytes, and an alias a walk over the document.
 */
function faultOfTokens(text: string): FieldError | undefined {
  let tokens = 0
  let nodes = 0
  let aliases = 0
  let isScalarNext = false
  const nesting = new Nesting()
  for (const source of new Lexer().lex(text)) {
    const kind = isScalarNext ? 'scalar' : CST.tokenType(source)
    isScalarNext = source === CST.SCALAR
    tokens++
    if (nesting.after(kind, source) > maxNesting) {
      return { path: '', code: 'too_deep', message: `is nested deeper than ${maxNesting} levels` }
    }
    if (nodeTokens.has(kind)) nodes++
    if (kind === 'alias') aliases++
    if (aliases > limits.aliases) return tooMany('too_many_aliases', limits.aliases, 'aliases')
    if (nodes > limits.definitionNodes) return tooMany('too_many_values', limits.definitionNodes, 'values')
    if (tokens > limits.definitionTokens) return tooMany('too_many_values', limits.definitionTokens, 'tokens')
  }
  return undefined
}

/**
 * The parser recurses into nesting, and in the end of a stack V8 may abort the whole process in place of throwing (seen
 * with Node 20: "RegExpCompiler Allocation failed" at 20,000 levels, in a thread). More than a definition may have.
 */
const maxNesting = 200

const opening: ReadonlySet<string | null> = new Set(['flow-seq-start', 'flow-map-start'])
const closing: ReadonlySet<string | null> = new Set(['flow-seq-end', 'flow-map-end'])
const indicators: ReadonlySet<string | null> = new Set(['seq-item-ind', 'explicit-key-ind', 'map-value-ind'])
const blank: ReadonlySet<string | null> = new Set(['space', 'newline', 'comment', 'byte-order-mark'])

/** How deep a text is nested at most, counted from its tokens: brackets, and the indicators of the lines around. */
class Nesting {
  private brackets = 0
  private depth = 0
  /** The lines that the present one is nested in, by their indentation, with how many levels each opened. */
  private readonly lines: { indent: number; levels: number }[] = []
  private indent = 0
  private isNewLine = true

  after(kind: string | null, source: string): number {
    if (opening.has(kind)) this.brackets += 1
    else if (closing.has(kind)) this.brackets = Math.max(0, this.brackets - 1)
    if (this.brackets > 0) return this.depth + this.brackets
    if (kind === 'newline') this.beginLine()
    else if (this.isNewLine && kind === 'space') this.indent = source.length
    else if (this.isNewLine && !blank.has(kind)) this.openLine()
    if (indicators.has(kind)) this.addLevel()
    return this.depth
  }

  private beginLine(): void {
    this.isNewLine = true
    this.indent = 0
  }

  private openLine(): void {
    this.isNewLine = false
    for (let last = this.lines.at(-1); last && last.indent >= this.indent; last = this.lines.at(-1)) {
      this.depth -= last.levels
      this.lines.pop()
    }
    this.lines.push({ indent: this.indent, levels: 0 })
  }

  private addLevel(): void {
    const line = this.lines.at(-1)
    if (line) line.levels += 1
    this.depth += 1
  }
}

const tooMany = (code: string, most: number, what: string): FieldError => ({
  path: '',
  code,
  message: `a definition has at most ${most} ${what}`,
})

/** Commas and indicators too: between two of them stands a node, if only an empty one. */
const nodeTokens: ReadonlySet<string | null> = new Set([
  'scalar',
  'single-quoted-scalar',
  'double-quoted-scalar',
  'alias',
  'anchor',
  'tag',
  'comma',
  'seq-item-ind',
  'explicit-key-ind',
  'map-value-ind',
  'flow-seq-start',
  'flow-map-start',
])

/** Keys are compared as text. A list or map in a key's place would be written out as text, again at each level. */
function checkKeys(document: Document.Parsed, lines: LineCounter): FieldError[] {
  const errors: FieldError[] = []
  const open: unknown[] = [document.contents]
  for (let node = open.pop(); node !== undefined && errors.length < limits.errors; node = open.pop()) {
    if (isSeq(node)) open.push(...node.items.filter((item) => item !== null))
    if (!isMap(node)) continue
    const keys = new Set<string>()
    for (const { key, value } of node.items) {
      const line = lines.linePos(startOf(key) ?? 0).line
      const name = isScalar(key) ? String(key.value) : undefined
      if (name === undefined) errors.push({ path: '', code: 'malformed', message: 'a key must be plain text', line })
      else if (keys.has(name)) errors.push(duplicate(name, line))
      else keys.add(name)
      if (value !== null) open.push(value)
    }
  }
  return errors.slice(0, limits.errors).sort((a, b) => (a.line ?? 0) - (b.line ?? 0))
}

const duplicate = (name: string, line: number): FieldError => ({
  path: '',
  code: 'duplicate_key',
  message: `${name.slice(0, 80)} stands here twice`,
  line,
})

function locate(document: Document.Parsed, lines: LineCounter, path: FieldPath): number | undefined {
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
