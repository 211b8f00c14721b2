export interface Token {
  kind: 'text' | 'expression'
  value: string
}

export type ScanResult = { tokens: Token[] } | { error: string }

/** Splits text at `${{ … }}`. Braces within CEL strings, comments and map literals do not end an expression. */
export function scanTemplate(text: string): ScanResult {
  const tokens: Token[] = []
  let from = 0
  for (;;) {
    const open = text.indexOf('${{', from)
    if (open === -1) break
    if (open > from) tokens.push({ kind: 'text', value: text.slice(from, open) })
    const close = findEnd(text, open + 3)
    if (close === -1) return { error: `an expression that starts with \${{ has no }}` }
    tokens.push({ kind: 'expression', value: text.slice(open + 3, close).trim() })
    from = close + 2
  }
  if (from < text.length || tokens.length === 0) tokens.push({ kind: 'text', value: text.slice(from) })
  return { tokens }
}

function findEnd(text: string, start: number): number {
  let depth = 0
  let i = start
  while (i < text.length) {
    const char = text[i]
    if (char === '"' || char === "'") {
      i = skipString(text, i)
      continue
    }
    if (char === '/' && text[i + 1] === '/') {
      i = endOfLine(text, i)
      continue
    }
    if (char === '{') depth++
    else if (char === '}') {
      if (depth === 0) {
        if (text[i + 1] === '}') return i
      } else depth--
    }
    i++
  }
  return -1
}

function endOfLine(text: string, from: number): number {
  const end = text.indexOf('\n', from)
  return end === -1 ? text.length : end
}

/** Index after the CEL string literal that starts at `at`; the end of the text if it is not closed. */
export function skipString(text: string, at: number): number {
  const quote = text[at] as string
  const raw = /[rR]/.test(text[at - 1] ?? '') || /[rR][bB]/.test(text.slice(Math.max(0, at - 2), at))
  const triple = quote.repeat(3)
  const end = text.startsWith(triple, at) ? triple : quote
  let i = at + end.length
  while (i < text.length) {
    if (!raw && text[i] === '\\') i += 2
    else if (text.startsWith(end, i)) return i + end.length
    else i++
  }
  return text.length
}

const afterTasks = /^\s*\.\s*([A-Za-z_][A-Za-z0-9_-]*)/

/**
 * Task keys may hold hyphens, which CEL reads as minus: `tasks.fetch-order.output` becomes
 * `tasks["fetch-order"].output`. The longest known key wins, so `tasks.a.output.n-1` stays a subtraction.
 */
export function quoteTaskKeys(source: string, isTask: (key: string) => boolean): string {
  let out = ''
  let i = 0
  while (i < source.length) {
    const char = source[i] as string
    if (char === '"' || char === "'") {
      const end = skipString(source, i)
      out += source.slice(i, end)
      i = end
    } else if (startsRoot(source, i)) {
      const { text, length } = quoteReference(source, i, isTask)
      out += text
      i += length
    } else {
      out += char
      i++
    }
  }
  return out
}

function quoteReference(
  source: string,
  at: number,
  isTask: (key: string) => boolean,
): { text: string; length: number } {
  const match = afterTasks.exec(source.slice(at + 5, at + 205))
  const name = match?.[1] ?? ''
  const key = longestKey(name, isTask)
  if (match === null || key === undefined) return { text: 'tasks', length: 5 }
  return { text: `tasks["${key}"]`, length: 5 + match[0].length - name.length + key.length }
}

function startsRoot(source: string, at: number): boolean {
  if (!source.startsWith('tasks', at) || /[A-Za-z0-9_]/.test(source[at + 5] ?? '')) return false
  return !/[A-Za-z0-9_]/.test(source[at - 1] ?? '') && !/\.\s*$/.test(source.slice(0, at))
}

/** Undefined when the name needs no quoting. An unknown name is quoted whole, so that the message names it whole. */
function longestKey(name: string, isTask: (key: string) => boolean): string | undefined {
  if (!name.includes('-')) return undefined
  const parts = name.split('-')
  for (let n = parts.length; n >= 1; n--) {
    const candidate = parts.slice(0, n).join('-')
    if (isTask(candidate)) return n === 1 ? undefined : candidate
  }
  return name
}
