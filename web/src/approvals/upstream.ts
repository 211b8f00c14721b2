import type { Graph, Task } from '../api/types'

type Shown = Pick<Task, 'key' | 'index'>

/** Tasks that the given one depends on: the nearest first. */
export function upstreamOf<T extends Shown>(key: string, graph: Graph | undefined, tasks: readonly T[]): T[] {
  const order = distances(key, graph?.edges ?? [])
  return tasks
    .filter((task) => task.index === undefined && order.has(task.key))
    .toSorted((a, b) => (order.get(a.key) ?? 0) - (order.get(b.key) ?? 0))
}

function distances(key: string, edges: readonly { from: string; to: string }[]): Map<string, number> {
  const found = new Map<string, number>()
  let frontier = [key]
  for (let steps = 1; frontier.length > 0; steps += 1) {
    const before = edges.filter(({ to }) => frontier.includes(to)).map(({ from }) => from)
    frontier = [...new Set(before)].filter((each) => !found.has(each))
    for (const each of frontier) found.set(each, steps)
  }
  return found
}
