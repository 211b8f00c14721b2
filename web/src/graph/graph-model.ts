/** A run's graph as it is drawn: the definition's nodes with the state of their tasks. Pure. */

export interface GraphTask {
  key: string
  index?: number | undefined
  uses: string
  status: string
  attempt: number
  startedAt?: string | null | undefined
  finishedAt?: string | null | undefined
  reused?: boolean | undefined
  progress?: { percent?: number | undefined } | undefined
  childRunId?: string | undefined
  /** Of a compensation: the task that it undoes. */
  compensates?: string | undefined
}

/** How many items of a map are in each status; `ended` where it is not told how. */
export type ItemCounts = Readonly<Record<string, number>>

/** Milliseconds; by the key of a task. */
export type Spans = ReadonlyMap<string, { from: number; to: number | undefined }>

export interface GraphSource {
  nodes: readonly { key: string; uses: string }[]
  edges: readonly { from: string; to: string }[]
}

export interface GraphNode {
  key: string
  uses: string
  /** Undefined in a definition that is not running. */
  status: string | undefined
  attempt: number
  startedAt: string | null
  finishedAt: string | null
  reused: boolean
  percent: number | undefined
  /** Of a map: how many of its items are in each status. */
  items: { total: number; counts: ItemCounts } | undefined
  /** The run that a task with `uses: workflow` stands for. */
  childRunId: string | undefined
}

export interface GraphEdge {
  from: string
  to: string
  /** To the compensation of a task. */
  undoes?: true
}

export interface GraphModel {
  nodes: readonly GraphNode[]
  edges: readonly GraphEdge[]
}

export function buildGraph(
  source: GraphSource | undefined,
  tasks: readonly GraphTask[],
  itemCounts: ReadonlyMap<string, ItemCounts> = new Map(),
  spans: Spans = new Map(),
): GraphModel {
  const own = new Map<string, GraphTask>()
  const counts = new Map<string, Record<string, number>>()
  for (const task of tasks) {
    if (task.index === undefined) own.set(task.key, task)
    else {
      const of = counts.get(task.key) ?? {}
      of[task.status] = (of[task.status] ?? 0) + 1
      counts.set(task.key, of)
    }
  }
  // Compensations are drawn once they have begun: most runs have nothing to undo.
  const undoing = [...own.values()].filter(({ compensates, attempt }) => compensates !== undefined && attempt > 0)
  const keys = [
    ...(source?.nodes ?? [...own.values()].filter(({ compensates }) => compensates === undefined)),
    ...undoing,
  ]
  const nodes = keys.map(({ key, uses }) => {
    const task = own.get(key)
    const made = nodeOf(key, uses, task, itemCounts.get(key) ?? counts.get(key))
    const span = task && !task.startedAt ? spans.get(key) : undefined
    return span ? { ...made, startedAt: iso(span.from), finishedAt: span.to === undefined ? null : iso(span.to) } : made
  })
  const drawn = new Set(nodes.map(({ key }) => key))
  const edges = (source?.edges ?? []).filter(({ from, to }) => drawn.has(from) && drawn.has(to))
  const undone = undoing.map(({ key, compensates = '' }) => ({ from: compensates, to: key, undoes: true as const }))
  return { nodes, edges: [...edges, ...undone] }
}

const iso = (at: number): string => new Date(at).toISOString()

/** One change of a run leaves all other tasks as they were: their nodes stay the same objects and are not drawn again. */
const known = new WeakMap<GraphTask, GraphNode>()

function nodeOf(key: string, uses: string, task: GraphTask | undefined, counts: ItemCounts | undefined): GraphNode {
  if (!task || counts) return makeNode(key, uses, task, counts)
  const made = known.get(task) ?? makeNode(key, uses, task, undefined)
  known.set(task, made)
  return made
}

function makeNode(key: string, uses: string, task: GraphTask | undefined, counts: ItemCounts | undefined): GraphNode {
  const total = Object.values(counts ?? {}).reduce((sum, count) => sum + count, 0)
  return {
    key,
    uses: task?.uses ?? uses,
    status: task?.status,
    attempt: task?.attempt ?? 0,
    startedAt: task?.startedAt ?? null,
    finishedAt: task?.finishedAt ?? null,
    reused: task?.reused ?? false,
    percent: task?.progress?.percent,
    items: counts && total > 0 ? { total, counts } : undefined,
    childRunId: task?.childRunId,
  }
}

/** Where a person looks first: what runs, else what waits, else what failed. */
export function activeKey({ nodes }: GraphModel): string | undefined {
  for (const wanted of ['running', 'waiting', 'failed']) {
    const found = nodes.find(({ status }) => status === wanted)
    if (found) return found.key
  }
  return undefined
}

const timeOf = (time: string | null): number => (time === null ? Number.NaN : Date.parse(time))

/**
 * The tasks that decided how long the run took: from the one that ended last, back through the need that ended last
 * before it. Tasks that never ran are on no path.
 */
export function criticalPath({ nodes, edges }: GraphModel): ReadonlySet<string> {
  const byKey = new Map(nodes.map((node) => [node.key, node]))
  const ended = nodes.filter(({ finishedAt }) => finishedAt !== null)
  const latest = (some: readonly GraphNode[]) =>
    some.reduce<GraphNode | undefined>(
      (best, node) => (best === undefined || timeOf(node.finishedAt) > timeOf(best.finishedAt) ? node : best),
      undefined,
    )
  const path = new Set<string>()
  let current = latest(ended)
  while (current && !path.has(current.key)) {
    path.add(current.key)
    const { key } = current
    const needs = edges.filter(({ to }) => to === key).map(({ from }) => byKey.get(from))
    current = latest(needs.filter((node): node is GraphNode => node !== undefined && node.finishedAt !== null))
  }
  return path
}
