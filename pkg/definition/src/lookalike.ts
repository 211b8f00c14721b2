import { builtIns } from './schema/with-shapes.js'

/** Longer names are nobody's slip of the finger. */
const maxLength = 24

/**
 * The built-in executor that somebody may have meant by a name that is none: other letter case, or one or two letters
 * wrong, missing, added or swapped. A name of three letters may have one, so that `sql` is not meant by every word.
 */
export function lookalike(uses: string): string | undefined {
  if (builtIns.has(uses) || uses.length > maxLength) return undefined
  const given = uses.toLowerCase()
  const near = [...builtIns]
    .map((name) => ({ name, edits: distance(given, name) }))
    .filter(({ name, edits }) => edits <= (name.length < 5 ? 1 : 2))
    .sort((a, b) => a.edits - b.edits)
  return near[0]?.name
}

/** Edits from one text to the other; two letters that changed places are one. */
function distance(a: string, b: string): number {
  let older: number[] = []
  let previous = Array.from({ length: b.length + 1 }, (_, j) => j)
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i]
    for (let j = 1; j <= b.length; j += 1) {
      const same = a[i - 1] === b[j - 1]
      let edits = Math.min((previous[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, (previous[j - 1] ?? 0) + (same ? 0 : 1))
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
      if (swapped) edits = Math.min(edits, (older[j - 2] ?? 0) + 1)
      row.push(edits)
    }
    older = previous
    previous = row
  }
  return previous[b.length] ?? 0
}
