/** Where in a YAML document a line stands, by indentation: enough to complete while the document does not parse. Pure. */

export interface YamlPlace {
  /** Keys from the root; `0` stands for an item of a list. */
  path: string[]
  /** What is typed so far. */
  typed: string
  /** The key whose value is typed, or undefined where a key is typed. */
  valueOf: string | undefined
}

const keyLine = /^(\s*)((?:-\s+)*)(?:"([^"]*)"\s*|'([^']*)'\s*|([^\s#:'"{[-][^:#]*)):(?:\s|$)/

const keyOf = (match: RegExpExecArray): string => match[3] ?? match[4] ?? match[5]?.trimEnd() ?? ''

interface Level {
  indent: number
  key: string
}

export function placeAt(lines: readonly string[], line: number, column: number): YamlPlace {
  const text = (lines[line] ?? '').slice(0, column)
  const own = keyLine.exec(text)
  const dashes = /^(\s*)((?:-\s+)*)/.exec(text)
  const indent = (dashes?.[1]?.length ?? 0) + (dashes?.[2]?.length ?? 0)
  const path = parentsOf(lines, line, indent, (dashes?.[2] ?? '') !== '')
  if (own) {
    return { path, typed: text.slice(own[0].length), valueOf: keyOf(own) }
  }
  return { path, typed: text.slice(indent), valueOf: undefined }
}

function parentsOf(lines: readonly string[], line: number, indent: number, isItem: boolean): string[] {
  const levels: Level[] = []
  let below = indent
  if (isItem) {
    levels.unshift({ indent, key: '0' })
  }
  for (let at = line - 1; at >= 0 && below > 0; at -= 1) {
    const match = keyLine.exec(lines[at] ?? '')
    if (!match) continue
    const start = (match[1]?.length ?? 0) + (match[2]?.length ?? 0)
    if (start >= below) continue
    levels.unshift({ indent: start, key: keyOf(match) })
    if ((match[2] ?? '') !== '') levels.unshift({ indent: match[1]?.length ?? 0, key: '0' })
    below = match[1]?.length ?? 0
  }
  return levels.map(({ key }) => key)
}
