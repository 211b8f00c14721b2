import { type FieldPath, type PathSegment, type Positions, toPointer } from './field-path.js'
import { limits } from './limits.js'

interface Frame {
  segment: PathSegment | undefined
  keys: Set<string> | undefined
  index: number
}

type Visit = (path: () => FieldPath, offset: number, duplicate: boolean, depth: number) => void

const token = /"(?:[^"\\]|\\.)*"|[{}[\],:]/g

/** Goes over text that JSON.parse has accepted, telling each member and item with its place. Never recurses. */
function scan(text: string, visit: Visit): void {
  const stack: Frame[] = []
  const path = (): FieldPath => stack.map((f) => f.segment).filter((s): s is PathSegment => s !== undefined)
  let expectKey = false
  for (const match of text.matchAll(token)) {
    const [found] = match
    const top = stack.at(-1)
    if (found === '{' || found === '[') {
      const inList = found === '['
      stack.push({ segment: inList ? 0 : undefined, keys: inList ? undefined : new Set(), index: 0 })
      expectKey = !inList
      if (inList) visit(path, match.index + 1, false, stack.length)
    } else if (found === '}' || found === ']') {
      stack.pop()
      expectKey = false
    } else if (found === ',' && top !== undefined) {
      expectKey = top.keys !== undefined
      if (top.keys === undefined) {
        top.segment = ++top.index
        visit(path, match.index + 1, false, stack.length)
      }
    } else if (found.startsWith('"') && expectKey && top?.keys !== undefined) {
      const key = JSON.parse(found) as string
      top.segment = key
      visit(path, match.index, top.keys.has(key), stack.length)
      top.keys.add(key)
      expectKey = false
    }
  }
}

export function findDuplicates(text: string): { path: FieldPath; offset: number }[] {
  const found: { path: FieldPath; offset: number }[] = []
  scan(text, (path, offset, duplicate) => {
    if (duplicate && found.length < 100) found.push({ path: path(), offset })
  })
  return found
}

/** Indexed at the first question: a definition without errors never asks. */
export function jsonPositions(text: string): Positions {
  let index: Map<string, number> | undefined
  const lines = lineIndex(text)
  return (path) => {
    index ??= indexPaths(text)
    for (let depth = path.length; depth > 0; depth--) {
      const offset = index.get(toPointer(path.slice(0, depth)))
      if (offset !== undefined) return lines(offset)
    }
    return 1
  }
}

function indexPaths(text: string): Map<string, number> {
  const index = new Map<string, number>()
  scan(text, (path, offset, _duplicate, depth) => {
    if (depth <= limits.definitionDepth) index.set(toPointer(path()), offset)
  })
  return index
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
