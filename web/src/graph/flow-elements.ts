import type { Edge, Node } from '@xyflow/react'
import type { GraphModel, GraphNode } from './graph-model'
import type { TaskNodeData } from './task-node'
import { type GraphPlaces, nodeHeight, nodeWidth } from './use-places'

interface Drawn {
  model: GraphModel
  open: ReadonlyMap<string, GraphModel>
  places: GraphPlaces | undefined
  selected: string | undefined
  path: ReadonlySet<string>
}

/** A task of a sub-workflow that is open in place; task keys have no slash. */
export const childId = (key: string, childKey: string): string => `${key}/${childKey}`

/** The model as the drawing library takes it. A sub-workflow that is open is a frame with its tasks inside. */
export function nodesOf({ model, open, places, selected, path }: Drawn): Node[] {
  if (!places) return []
  return model.nodes.flatMap((node): Node[] => {
    const position = places.places[node.key]
    if (!position) return []
    const opened = places.opened.get(node.key)
    const child = open.get(node.key)
    const data = { node, selected: node.key === selected, lit: path.has(node.key) } satisfies TaskNodeData
    if (!opened || !child) return [drawnNode(data, position)]
    const size = { width: opened.width, height: opened.height }
    const own = { ...base(node.key, data), ...size, position, type: 'opened' }
    const inside = child.nodes.flatMap((each): Node[] => {
      const at = opened.places[each.key]
      const id = childId(node.key, each.key)
      if (!at) return []
      return [{ ...base(id, { node: each, selected: false, lit: false }), parentId: node.key, position: at }]
    })
    return [own, ...inside]
  })
}

const drawn = new WeakMap<GraphNode, Node>()

/** The same object as before where nothing of it changed, which the drawing library takes as drawn already. */
function drawnNode(data: TaskNodeData, position: { x: number; y: number }): Node {
  const before = drawn.get(data.node)
  const old = before?.data as unknown as TaskNodeData | undefined
  if (before?.position === position && old?.selected === data.selected && old.lit === data.lit) return before
  const made = { ...base(data.node.key, data), position }
  drawn.set(data.node, made)
  return made
}

const base = (id: string, data: TaskNodeData) => ({
  id,
  type: 'task',
  data: data as unknown as Record<string, unknown>,
  width: nodeWidth,
  height: nodeHeight,
  ariaLabel: `Task ${data.node.key}`,
})

export function edgesOf({ model, open, path }: Pick<Drawn, 'model' | 'open' | 'path'>): Edge[] {
  const own = model.edges.map(({ from, to, undoes }) => edge(from, to, path.has(from) && path.has(to), undoes))
  const inside = [...open].flatMap(([key, child]) =>
    child.edges.map(({ from, to }) => edge(childId(key, from), childId(key, to), false)),
  )
  return [...own, ...inside]
}

const edge = (source: string, target: string, lit: boolean, undoes = false): Edge => ({
  id: `${source}→${target}`,
  source,
  target,
  className: `edge${lit ? ' edge-lit' : ''}${undoes ? ' edge-undoes' : ''}`,
})
