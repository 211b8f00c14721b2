import type { CompletionContext, CompletionResult, CompletionSource } from '@codemirror/autocomplete'
import { keysAt, type Schema, valuesAt } from './schema-lookup'
import { placeAt } from './yaml-path'

/** Known to every server; functions that workers registered are not in the schema. */
const builtIn = [
  'approval',
  'email',
  'fail',
  'http',
  'llm',
  'map',
  'noop',
  'shell',
  'signal',
  'sleep',
  'sql',
  'transform',
  'webhook',
  'workflow',
]

const roots = ['input', 'tasks', 'run', 'now', 'task', 'item', 'index', 'secrets']

/** Keys and values that the published JSON Schema allows here, names of tasks in `needs`, and roots of expressions. */
export function yamlCompletion(schema: () => Schema | undefined): CompletionSource {
  return (context) => {
    const line = context.state.doc.lineAt(context.pos)
    const before = line.text.slice(0, context.pos - line.from)
    if (isInExpression(before)) return expressionChoices(context, before)
    const root = schema()
    if (!root) return null
    const lines = context.state.doc.toString().split('\n')
    const place = placeAt(lines, line.number - 1, before.length)
    if (place.typed === '' && !context.explicit && before.trim() !== '' && place.valueOf === undefined) return null
    const from = context.pos - place.typed.length
    if (place.valueOf === undefined) {
      const options = keysAt(root, place.path).map(({ label, detail }) => ({
        label,
        detail,
        type: 'property',
        apply: `${label}: `,
      }))
      return { from, options: [...options, ...needsChoices(lines, place.path)], validFor: /^[\w-]*$/ }
    }
    const values = valuesAt(root, [...place.path, place.valueOf]).map(({ label }) => ({ label, type: 'enum' }))
    const uses = place.valueOf === 'uses' ? builtIn.map((label) => ({ label, type: 'function' })) : []
    return { from, options: [...values, ...uses], validFor: /^[\w-]*$/ }
  }
}

function isInExpression(before: string): boolean {
  const open = before.lastIndexOf('${{')
  return open >= 0 && !before.includes('}', open)
}

/** Where the name begins that ends this text. */
function wordStart(text: string): number {
  let start = text.length
  while (start > 0 && /[\w.-]/.test(text[start - 1] ?? '')) start -= 1
  return start
}

function expressionChoices(context: CompletionContext, before: string): CompletionResult | null {
  const from = context.pos - (before.length - wordStart(before))
  const tasks = taskKeys(context.state.doc.toString().split('\n'))
  const paths = tasks.flatMap((key) => ['output', 'status', 'error'].map((field) => `tasks.${key}.${field}`))
  return { from, options: [...roots, ...paths].map((label) => ({ label, type: 'variable' })), validFor: /^[\w.-]*$/ }
}

export function taskKeys(lines: readonly string[]): string[] {
  const start = lines.findIndex((line) => /^tasks\s*:/.test(line))
  if (start < 0) return []
  const end = lines.findIndex((line, index) => index > start && /^\S/.test(line) && !line.startsWith('#'))
  const inside = lines.slice(start + 1, end < 0 ? undefined : end)
  const indent = /^(\s+)\S/.exec(inside.find((line) => /^\s+[A-Za-z_]/.test(line)) ?? '')?.[1]?.length ?? 2
  const margin = ' '.repeat(indent)
  return inside.flatMap((line) =>
    line.startsWith(margin) ? (/^([A-Za-z_][\w-]*)\s*:/.exec(line.slice(indent))?.[1] ?? []) : [],
  )
}

function needsChoices(lines: readonly string[], path: readonly string[]) {
  if (path.at(-1) !== '0' || path.at(-2) !== 'needs') return []
  return taskKeys(lines)
    .filter((key) => key !== path.at(-3))
    .map((label) => ({ label, type: 'variable' }))
}
