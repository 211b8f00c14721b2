import { type Edge, type Node, type NodeProps, ViewportPortal } from '@xyflow/react'
import { memo, useMemo } from 'react'
import type { Direction } from './layout'
import type { Rect } from './place-view'
import { plainPaths } from './plain-paths'
import { OpenedNodeView, TaskNodeView } from './task-node'

interface PlainGraphProps {
  nodes: readonly Node[]
  edges: readonly Edge[]
  rects: ReadonlyMap<string, Rect>
  direction: Direction
  onChoose: (id: string) => void
}

/**
 * A large graph: all edges of one look are one path, and nodes are plain boxes in one layer. The drawing library gives each node a
 * transform, an observer and a subscription to every move, and each edge a drawing of its own. A frame of a pan over 1,000
 * nodes took 24 ms of the main thread where it drew those on screen alone, 90 ms where it drew all, and takes 14 ms so.
 */
export const PlainGraph = memo(({ nodes, edges, rects, direction, onChoose }: PlainGraphProps) => (
  <ViewportPortal>
    <PlainEdges edges={edges} rects={rects} direction={direction} />
    {/* biome-ignore lint/a11y/noStaticElementInteractions: nodes are buttons, of which this hears */}
    {/* biome-ignore lint/a11y/useKeyWithClickEvents: a button pressed by keyboard is clicked */}
    <div
      onClick={({ target }) => {
        const id = (target as Element).closest<HTMLElement>('[data-id]')?.dataset.id
        if (id !== undefined) onChoose(id)
      }}
    >
      {nodes.map((node) => (
        <PlainNode key={node.id} node={node} rect={rects.get(node.id)} />
      ))}
    </div>
  </ViewportPortal>
))

interface PlainNodeProps {
  node: Node
  rect: Rect | undefined
}

const isSame = (a: PlainNodeProps, b: PlainNodeProps): boolean =>
  a.node === b.node &&
  a.rect?.x === b.rect?.x &&
  a.rect?.y === b.rect?.y &&
  a.rect?.width === b.rect?.width &&
  a.rect?.height === b.rect?.height

const PlainNode = memo(({ node, rect }: PlainNodeProps) => {
  const View = node.type === 'opened' ? OpenedNodeView : TaskNodeView
  if (!rect) return null
  const { x: left, y: top, width, height } = rect
  return (
    <div className="plain-node" data-id={node.id} style={{ left, top, width, height }}>
      <View {...({ data: node.data } as NodeProps)} />
    </div>
  )
}, isSame)

function PlainEdges({ edges, rects, direction }: Pick<PlainGraphProps, 'edges' | 'rects' | 'direction'>) {
  const { plain, undoes, lit } = useMemo(() => plainPaths(edges, rects, direction), [edges, rects, direction])
  return (
    <svg className="plain-edges" width="1" height="1" aria-hidden="true">
      <path d={plain} />
      <path className="plain-edges-undoes" d={undoes} />
      <path className="plain-edges-lit" d={lit} />
    </svg>
  )
}
