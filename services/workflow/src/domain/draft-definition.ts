interface DraftTask {
  id: string
  key: string
  name: string
  uses: string
  with: Record<string, unknown> | null
}

interface DraftEdge {
  taskId: string
  dependsOnTaskId: string
}

/** A draft as a definition, to be validated like any other. */
export function definitionOfDraft(name: string, tasks: readonly DraftTask[], edges: readonly DraftEdge[]): unknown {
  const keys = new Map(tasks.map((task) => [task.id, task.key]))
  const entries = tasks.map((task) => {
    const needs = edges.filter((edge) => edge.taskId === task.id).map((edge) => keys.get(edge.dependsOnTaskId))
    return {
      key: task.key,
      ...(task.name === task.key ? {} : { name: task.name }),
      uses: task.uses,
      ...(needs.length === 0 ? {} : { needs }),
      ...(task.with === null ? {} : { with: task.with }),
    }
  })
  return { name, tasks: entries }
}

/** A task's name as the key by which expressions and results call it: `Fetch order` becomes `Fetch-order`. */
export function taskKeyOf(name: string): string {
  const plain = name
    .normalize('NFKD')
    .replace(/[^A-Za-z0-9_-]+/g, '-')
    .replace(/^-+|(?<!-)-+$/g, '')
  return (/^[A-Za-z_]/.test(plain) ? plain : `_${plain}`).slice(0, 63)
}

/**
 * The way from `to` back to `from`, if what `from` needs leads there: with an edge between them it would be a cycle.
 * In the order of execution.
 */
export function pathBetween(edges: readonly DraftEdge[], from: string, to: string): string[] | undefined {
  const needs = new Map<string, string[]>()
  for (const { taskId, dependsOnTaskId } of edges) {
    needs.set(taskId, [...(needs.get(taskId) ?? []), dependsOnTaskId])
  }
  const cameFrom = new Map<string, string | undefined>([[from, undefined]])
  const open = [from]
  for (const node of open) {
    if (node === to) return walk(cameFrom, to)
    for (const next of needs.get(node) ?? []) {
      if (cameFrom.has(next)) continue
      cameFrom.set(next, node)
      open.push(next)
    }
  }
  return undefined
}

function walk(cameFrom: ReadonlyMap<string, string | undefined>, end: string): string[] {
  const path: string[] = []
  for (let at: string | undefined = end; at !== undefined; at = cameFrom.get(at)) path.push(at)
  return path
}
