/** Edges as indices: `needs[i]` are the nodes that node i waits for. */
export interface Sorted {
  /** Length of the longest way from a start; undefined for what a cycle holds back. */
  levels: (number | undefined)[]
  cycles: number[][]
}

/**
 * Kahn's algorithm: take nodes that wait for nothing, free those that waited for them, repeat. What is never taken is on
 * a cycle or behind one. In that rest every node still waits for another of it, so walking backwards must meet itself.
 */
export function sortGraph(needs: readonly (readonly number[])[]): Sorted {
  const count = needs.length
  const dependents: number[][] = Array.from({ length: count }, () => [])
  const open = needs.map((list) => list.length)
  needs.forEach((list, node) => {
    for (const need of list) dependents[need]?.push(node)
  })
  const levels: (number | undefined)[] = new Array(count).fill(undefined)
  const ready: number[] = []
  open.forEach((n, node) => {
    if (n === 0) {
      levels[node] = 0
      ready.push(node)
    }
  })
  const best = new Array<number>(count).fill(0)
  for (let head = 0; head < ready.length; head++) {
    const node = ready[head] as number
    for (const next of dependents[node] ?? []) {
      best[next] = Math.max(best[next] ?? 0, (levels[node] ?? 0) + 1)
      open[next] = (open[next] ?? 0) - 1
      if (open[next] === 0) {
        levels[next] = best[next]
        ready.push(next)
      }
    }
  }
  return { levels, cycles: findCycles(needs, levels) }
}

const maxCycles = 20

function findCycles(needs: readonly (readonly number[])[], levels: readonly (number | undefined)[]): number[][] {
  const cycles: number[][] = []
  const done = new Set<number>()
  for (let start = 0; start < needs.length && cycles.length < maxCycles; start++) {
    if (levels[start] !== undefined || done.has(start)) continue
    const trail: number[] = []
    const at = new Map<number, number>()
    let node: number | undefined = start
    while (node !== undefined && !done.has(node) && !at.has(node)) {
      at.set(node, trail.length)
      trail.push(node)
      node = needs[node]?.find((need) => levels[need] === undefined)
    }
    if (node !== undefined && at.has(node)) cycles.push(inOrder(trail.slice(at.get(node))))
    for (const seen of trail) done.add(seen)
  }
  return cycles
}

/** The walk went from a task to what it needs; execution goes the other way. The smallest index leads. */
function inOrder(backwards: number[]): number[] {
  const forwards = backwards.toReversed()
  const first = forwards.indexOf(Math.min(...forwards))
  return [...forwards.slice(first), ...forwards.slice(0, first)]
}
