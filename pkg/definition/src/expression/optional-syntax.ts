import { skipString } from './scan.js'

const field = /^\.\s*\?\s*([A-Za-z_][A-Za-z0-9_]*)/
const macro = /^\.\s*(optMap|optFlatMap)\s*\(/
const endsOperand = /(?<!\bin)(?<=[A-Za-z0-9_)\]}"'])\s*$/

interface Bracket {
  open: string
  /** What is written where it closes. */
  close: string
  /** The entry of a list or map that is being read, and those that are optional. */
  entry: number
  optional: number[]
}

const bracketOf = (open: string, close: string): Bracket => ({ open, close, entry: 0, optional: [] })

/**
 * The parser does not know CEL's optional syntax: `a.?b` becomes `a.opt("b")`, `a[?k]` becomes `a.opt(k)`, and
 * `a.optMap(v, e)` becomes `a.optItems().map(v, e).optFirst()`, which goes over the one value or none. Lists and maps with
 * optional entries say which these are: `[?a, b]` becomes `[a, b].optEntries([0])`. None of these means anything else in CEL.
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
  open.push(bracketOf('(', which === 'optMap' ? ').optFirst()' : ').optFlatFirst()'))
  return ['.optItems().map(', call.length]
}

const opener: Record<string, string> = { ')': '(', ']': '[', '}': '{' }

/** The same for any other character. */
function bracket(source: string, i: number, out: string, open: Bracket[]): [string, number] {
  const char = source[i] as string
  const within = open.at(-1)
  if (char === '[' && source[i + 1] === '?' && endsOperand.test(out.slice(-40))) {
    open.push(bracketOf('[', ')'))
    return ['.opt(', 2]
  }
  if (char === '(' || char === '[' || char === '{') open.push(bracketOf(char, closer[char]))
  else if (char === ',' && within) within.entry += 1
  else if (char === '?' && within && within.open !== '(' && /[[{,]\s*$/.test(out.slice(-40))) {
    within.optional.push(within.entry)
    return ['', 1]
  } else if (within && within.open === opener[char]) {
    open.pop()
    return [within.optional.length > 0 ? `${char}.optEntries([${within.optional}])` : within.close, 1]
  }
  return [char, 1]
}

const closer = { '(': ')', '[': ']', '{': '}' }
