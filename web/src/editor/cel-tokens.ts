export type CelKind = 'text' | 'number' | 'word' | 'call'

export interface CelToken {
  at: number
  length: number
  kind: CelKind
}

const token =
  /(?<text>"(?:[^"\\]|\\.)*"?|'(?:[^'\\]|\\.)*'?)|(?<word>\b(?:true|false|null|in)\b)|(?<call>\b[A-Za-z_]\w*(?=\())|(?<number>\b\d+(?:\.\d+)?u?\b)/g

/** What stands out in a CEL expression, in its order. Names and operators are the rest. Pure. */
export function celTokens(expression: string): CelToken[] {
  return [...expression.matchAll(token)].map(({ index, 0: text, groups = {} }) => {
    const kind = (Object.keys(groups) as CelKind[]).find((each) => groups[each] !== undefined) ?? 'word'
    return { at: index, length: text.length, kind }
  })
}
