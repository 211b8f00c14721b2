import { skipString } from './scan.js'

const field = /^\.\s*\?\s*([A-Za-z_][A-Za-z0-9_]*)/
const endsOperand = /[A-Za-z0-9_)\]}"']\s*$/

/**
 * The parser does not know CEL's optional syntax: `a.?b` becomes `a.opt("b")` and `a[?k]` becomes `a.opt(k)`. Neither
 * `.?` nor `[?` after an operand means anything else in CEL. Optional entries (`[?a]`, `{?k: a}`) stay errors.
 */
export function rewriteOptionals(source: string): string {
  if (!source.includes('?')) return source
  let out = ''
  const closing: string[] = []
  for (let i = 0; i < source.length; ) {
    const char = source[i] as string
    const end = char === '"' || char === "'" ? skipString(source, i) : i
    const [all, name] = char === '.' ? (field.exec(source.slice(i, i + 200)) ?? []) : []
    if (end > i) {
      out += source.slice(i, end)
      i = end
    } else if (all !== undefined) {
      out += `.opt("${name}")`
      i += all.length
    } else {
      const [text, length] = bracket(source, i, out, closing)
      out += text
      i += length
    }
  }
  return out
}

/** What is written for the character at `i`, and how much of the source it stands for. */
function bracket(source: string, i: number, out: string, closing: string[]): [string, number] {
  const char = source[i] as string
  if (char === '[') {
    const optional = source[i + 1] === '?' && endsOperand.test(out.slice(-40))
    closing.push(optional ? ')' : ']')
    return optional ? ['.opt(', 2] : ['[', 1]
  }
  if (char === ']') return [closing.pop() ?? ']', 1]
  return [char, 1]
}
