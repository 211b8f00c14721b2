import type { Edge, Node } from '@xyflow/react'
import type { GraphModel } from './graph-model'
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
    const size = { width: opened?.width ?? nodeWidth, height: opened?.height ?? nodeHeight }
    const own = { ...base(node.key, data), ...size, position, type: opened && child ? 'opened' : 'task' }
    if (!opened || !child) return [own]
    const inside = child.nodes.flatMap((each): Node[] => {
      const at = opened.places[each.key]
      const id = childId(node.key, each.key)
      if (!at) return []
      return [{ ...base(id, { node: each, selected: false, lit: false }), parentId: node.key, position: at }]
    })
    return [own, ...inside]
  })
}

const base = (id: string, data: TaskNodeData) => ({
  id,
  type: 'task',
  data: data as unknown as Record<string, unknown>,
  width: nodeWidth,
  height: nodeHeight,
  ariaLabel: `Task ${data.node.key}`,
})

interface DrawnEdges extends Pick<Drawn, 'model' | 'open' | 'path'> {
  large: boolean
}

export function edgesOf({ model, open, path, large }: DrawnEdges): Edge[] {
  const own = model.edges.map(({ from, to }) => edge(from, to, path.has(from) && path.has(to), large))
  const inside = [...open].flatMap(([key, child]) =>
    child.edges.map(({ from, to }) => edge(childId(key, from), childId(key, to), false, large)),
  )
  return [...own, ...inside]
}

const edge = (source: string, target: string, lit: boolean, large: boolean): Edge => ({
  id: `${source}→${target}`,
  source,
  target,
  ...(large ? { type: 'straight' } : {}),
  className: lit ? 'edge edge-lit' : 'edge',
})
