import type { FieldPath, PathSegment, Positions } from './field-path.js'

interface Frame {
  keys: Set<string> | undefined
  index: number
}

/** `depth` is 1 for what stands directly in the outermost list or object. */
type Visit = (segment: PathSegment, offset: number, duplicate: boolean, depth: number) => void

// The closing quote is optional only to the matcher: text that was parsed has it, and without the choice a text of many
// quotes would be read to its end from each of them.
const token = /"(?:[^"\\]|\\.)*"?|[{}[\],:]/g

/** Goes over text that JSON.parse has accepted, telling each member and item with its place. Never recurses. */
function scan(text: string, visit: Visit): void {
  const stack: Frame[] = []
  let expectKey = false
  for (const match of text.matchAll(token)) {
    const [found] = match
    const top = stack.at(-1)
    if (found === '{' || found === '[') {
      const inList = found === '['
      stack.push({ keys: inList ? undefined : new Set(), index: 0 })
      expectKey = !inList
      if (inList) visit(0, match.index + 1, false, stack.length)
    } else if (found === '}' || found === ']') {
      stack.pop()
      expectKey = false
    } else if (found === ',' && top !== undefined) {
      expectKey = top.keys !== undefined
      if (top.keys === undefined) visit(++top.index, match.index + 1, false, stack.length)
    } else if (found.startsWith('"') && expectKey && top?.keys !== undefined) {
      const key = JSON.parse(found) as string
      visit(key, match.index, top.keys.has(key), stack.length)
      top.keys.add(key)
      expectKey = false
    }
  }
}

export function findDuplicates(text: string, most: number): { path: FieldPath; offset: number }[] {
  const found: { path: FieldPath; offset: number }[] = []
  const path: PathSegment[] = []
  scan(text, (segment, offset, duplicate, depth) => {
    path.length = depth - 1
    path.push(segment)
    if (duplicate && found.length < most) found.push({ path: [...path], offset })
  })
  return found
}

interface Wanted {
  offset: number | undefined
  inner: Map<string, Wanted>
}

/** Follows only the wanted paths, so that the pass costs the same whatever the text's depth. */
export function jsonPositions(text: string): Positions {
  const lineAt = lineIndex(text)
  return (paths) => {
    const root: Wanted = { offset: 0, inner: new Map() }
    const chains = paths.map((path) => chainOf(root, path))
    const open: (Wanted | undefined)[] = [root]
    scan(text, (segment, offset, _duplicate, depth) => {
      const node = open[depth - 1]?.inner.get(String(segment))
      open[depth] = node
      if (node !== undefined) node.offset = offset
    })
    return chains.map((nodes) => lineAt(nodes.findLast((node) => node.offset !== undefined)?.offset ?? 0))
  }
}

function chainOf(root: Wanted, path: FieldPath): Wanted[] {
  const chain = [root]
  let node = root
  for (const step of path.map(String)) {
    const inner: Wanted = node.inner.get(step) ?? { offset: undefined, inner: new Map() }
    node.inner.set(step, inner)
    chain.push(inner)
    node = inner
  }
  return chain
}

/** 1-based line of an offset. */
export function lineIndex(text: string): (offset: number) => number {
  let starts: number[] | undefined
  return (offset) => {
    starts ??= Array.from(text.matchAll(/\n/g), (match) => match.index + 1)
    let low = 0
    let high = starts.length
    while (low < high) {
      const middle = (low + high) >> 1
      if ((starts[middle] as number) <= offset) low = middle + 1
      else high = middle
    }
    return low + 1
  }
}
