import { skipString } from './scan.js'

const field = /^\.\s*\?\s*([A-Za-z_][A-Za-z0-9_]*)/
const macro = /^\.\s*(optMap|optFlatMap)\s*\(/
const endsOperand = /[A-Za-z0-9_)\]}"']\s*$/

interface Bracket {
  open: string
  /** What is written where it closes. */
  close: string
}

/**
 * The parser does not know CEL's optional syntax: `a.?b` becomes `a.opt("b")`, `a[?k]` becomes `a.opt(k)`, and
 * `a.optMap(v, e)` becomes `a.optItems().map(v, e).optFirst()`, which goes over the one value or none. None of these
 * means anything else in CEL. Optional entries (`[?a]`, `{?k: a}`) stay errors.
 */
export function rewriteOptionals(source: string): string {
  if (!/\?|opt(Flat)?Map/.test(source)) return source
  let out = ''
  const open: Bracket[] = []
  for (let i = 0; i < source.length; ) {
    const char = source[i] as string
    const end = char === '"' || char === "'" ? skipString(source, i) : i
    if (end > i) {
      out += source.slice(i, end)
      i = end
    } else {
      const [text, length] = (char === '.' ? selection(source, i, open) : undefined) ?? bracket(source, i, out, open)
      out += text
      i += length
    }
  }
  return out
}

/** What is written for the selection at `i`, and how much of the source it stands for. */
function selection(source: string, i: number, open: Bracket[]): [string, number] | undefined {
  const rest = source.slice(i, i + 200)
  const [all, name] = field.exec(rest) ?? []
  if (all !== undefined) return [`.opt("${name}")`, all.length]
  const [call, which] = macro.exec(rest) ?? []
  if (call === undefined) return undefined
  open.push({ open: '(', close: which === 'optMap' ? ').optFirst()' : ').optFlatFirst()' })
  return ['.optItems().map(', call.length]
}

const opener: Record<string, string> = { ')': '(', ']': '[' }

/** The same for any other character. */
function bracket(source: string, i: number, out: string, open: Bracket[]): [string, number] {
  const char = source[i] as string
  if (char === '(') open.push({ open: char, close: ')' })
  if (char === '[') {
    const optional = source[i + 1] === '?' && endsOperand.test(out.slice(-40))
    open.push({ open: char, close: optional ? ')' : ']' })
    return optional ? ['.opt(', 2] : ['[', 1]
  }
  const closes = opener[char] !== undefined && open.at(-1)?.open === opener[char]
  return [closes ? (open.pop()?.close ?? char) : char, 1]
}
