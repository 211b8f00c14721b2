/**
 * Facts of a document form a join-semilattice: `merge` is commutative, associative and idempotent, so any order and
 * any repetition of the same events ends in the same document. Each helper here is such a join.
 */
export function later<T extends { sequence: number }>(a: T | null, b: T | null): T | null {
  if (a === null || b === null) return a ?? b
  if (a.sequence !== b.sequence) return a.sequence > b.sequence ? a : b
  return greater(a, b)
}

export function earlier<T extends { sequence: number }>(a: T | null, b: T | null): T | null {
  if (a === null || b === null) return a ?? b
  if (a.sequence !== b.sequence) return a.sequence < b.sequence ? a : b
  return greater(a, b)
}

export function least(a: number | null, b: number | null): number | null {
  return a === null || b === null ? (a ?? b) : Math.min(a, b)
}

/** Union of two lists sorted by `key`. Two different values under one key should not be; if so, either order picks the same. */
export function union<T>(a: readonly T[], b: readonly T[], key: (item: T) => number | string): T[] {
  const merged: T[] = []
  let i = 0
  let j = 0
  while (i < a.length || j < b.length) {
    const left = a[i]
    const right = b[j]
    if (left === undefined) merged.push(b[j++] as T)
    else if (right === undefined) merged.push(a[i++] as T)
    else if (key(left) < key(right)) merged.push(a[i++] as T)
    else if (key(left) > key(right)) merged.push(b[j++] as T)
    else {
      merged.push(greater(left, right))
      i += 1
      j += 1
    }
  }
  return merged
}

/** Any total order will do. Keys are sorted, because a store may give an object back with its keys in another order. */
function greater<T>(a: T, b: T): T {
  if (a === b) return a
  return canonical(a) >= canonical(b) ? a : b
}

function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, nested: unknown) =>
    nested !== null && typeof nested === 'object' && !Array.isArray(nested)
      ? Object.fromEntries(Object.entries(nested).sort(([x], [y]) => (x < y ? -1 : 1)))
      : nested,
  )
}
