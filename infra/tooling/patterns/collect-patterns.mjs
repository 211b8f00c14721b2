// Finds every regular expression of a source file: literals, `RegExp(…)`, the `pattern` of a JSON Schema, SQL.
import { parse } from '@babel/parser'

/**
 * @typedef {{ line: number, source: string, flags: string }} Pattern
 * @typedef {{ line: number, problem: string }} Finding
 */

/** @returns {{ patterns: Pattern[], findings: Finding[] }} */
export function collectPatterns(text, path) {
  const plugins = path.endsWith('.tsx') ? ['typescript', 'jsx'] : ['typescript']
  const { program } = parse(text, { sourceType: 'module', plugins })
  const found = { patterns: [], findings: [], constants: constantsOf(program) }
  walk(program, (node) => inspect(node, found))
  return { patterns: found.patterns, findings: found.findings }
}

function walk(node, visit) {
  if (Array.isArray(node)) for (const item of node) walk(item, visit)
  else if (typeof node?.type === 'string') {
    visit(node)
    for (const key of Object.keys(node)) if (key !== 'loc' && key !== 'extra') walk(node[key], visit)
  }
}

function inspect(node, found) {
  const line = node.loc?.start.line ?? 0
  if (node.type === 'RegExpLiteral') found.patterns.push({ line, source: node.pattern, flags: node.flags })
  else if (isRegExpCall(node)) readCall(node, line, found)
  else if (isSchemaPattern(node)) readSchemaPattern(node, line, found)
  else if (isText(node) && hasSqlPattern(textOf(node))) found.findings.push({ line, problem: sqlProblem })
}

const isRegExpCall = (node) =>
  (node.type === 'NewExpression' || node.type === 'CallExpression') &&
  node.callee.type === 'Identifier' &&
  node.callee.name === 'RegExp'

const isSchemaPattern = (node) => node.type === 'ObjectProperty' && !node.computed && nameOf(node.key) === 'pattern'
const isText = (node) => node.type === 'StringLiteral' || node.type === 'TemplateLiteral'
const nameOf = (key) => key.name ?? key.value

function readCall(node, line, found) {
  const [source, flags] = node.arguments
  const text = evaluate(source, found.constants)
  if (text === undefined) found.findings.push({ line, problem: 'is made of what only the running program knows' })
  else found.patterns.push({ line, source: text, flags: flags === undefined ? '' : (evaluate(flags, new Map()) ?? '') })
}

/** A RegExp as the value of `pattern` is a literal, found as such. */
function readSchemaPattern(node, line, found) {
  const text = evaluate(node.value, found.constants)
  if (text !== undefined) found.patterns.push({ line, source: text, flags: 'u' })
}

function constantsOf(program) {
  const constants = new Map()
  walk(program, (node) => {
    if (node.type !== 'VariableDeclaration' || node.kind !== 'const') return
    for (const { id, init } of node.declarations) if (id.type === 'Identifier' && init) constants.set(id.name, init)
  })
  return constants
}

/** The text of an expression that is made of literals and constants of its own file; undefined for any other. */
function evaluate(node, constants, depth = 0) {
  const inner = (part) => evaluate(part, constants, depth + 1)
  if (node === undefined || depth > 10) return undefined
  if (node.type === 'StringLiteral') return node.value
  if (node.type === 'RegExpLiteral') return node.pattern
  if (node.type === 'Identifier') return inner(constants.get(node.name))
  if (node.type === 'MemberExpression' && nameOf(node.property) === 'source') return inner(node.object)
  if (node.type !== 'TemplateLiteral') return undefined
  const values = node.expressions.map(inner)
  if (values.includes(undefined)) return undefined
  return node.quasis.map((quasi, i) => quasi.value.cooked + (values[i] ?? '')).join('')
}

const textOf = (node) =>
  node.type === 'StringLiteral' ? node.value : node.quasis.map((quasi) => quasi.value.cooked).join(' $ ')

const sqlProblem = 'matches in SQL, where no checker sees the pattern: compare, or match before the statement'
const operators = [' ~ ', ' ~* ', ' !~ ', ' !~* ', ' similar to ', 'regexp_']

/** PostgreSQL's own matcher backtracks too, and holds a connection while it does. */
export function hasSqlPattern(text) {
  const lower = text.toLowerCase()
  const isSql = ['select ', 'where ', 'check ('].some((word) => lower.includes(word))
  return isSql && operators.some((operator) => lower.includes(operator))
}
