import {
  Background,
  Controls,
  type Edge,
  MiniMap,
  type Node,
  ReactFlow,
  ReactFlowProvider,
  useReactFlow,
} from '@xyflow/react'
import { useEffect, useEffectEvent, useMemo, useRef } from 'react'
import { EdgeFades } from './edge-fades'
import { edgesOf, nodesOf } from './flow-elements'
import { activeKey, criticalPath, type GraphModel } from './graph-model'
import type { Direction } from './layout'
import { boundsOf, rectsOf, viewOf } from './place-view'
import { PlainGraph } from './plain-graph'
import { PlainMap } from './plain-map'
import { EdgeDirection, OpenedNodeView, PlainNodes, TaskNodeView, ToggleChild, toneOfNode } from './task-node'
import { useFollowFocus } from './use-follow-focus'
import { useOwnLayer } from './use-own-layer'
import { usePlaces } from './use-places'
import './graph.css'

const nodeTypes = { task: TaskNodeView, opened: OpenedNodeView }
const noneOpen: ReadonlyMap<string, GraphModel> = new Map()
const minimapFrom = 25
/** From here on it is drawn plainly, in one layer: see plain-graph.tsx. */
const largeFrom = 150
const noNodes: Node[] = []
const noEdges: Edge[] = []

interface GraphViewProps {
  model: GraphModel
  selected?: string | undefined
  onSelect?: (key: string) => void
  /** Light the tasks that decided how long the run took. */
  critical?: boolean
  /** Sub-workflows that are drawn in the place of their task, by its key. */
  open?: ReadonlyMap<string, GraphModel>
  onToggle?: (key: string) => void
  onSelectChild?: (key: string, childKey: string) => void
  /** Down where the graph has a column of a page, and not its width. */
  direction?: Direction
}

export function GraphView(props: GraphViewProps) {
  return (
    <ReactFlowProvider>
      <ToggleChild value={props.onToggle}>
        <EdgeDirection value={props.direction ?? 'right'}>
          <PlainNodes value={props.model.nodes.length > largeFrom}>
            <Flow {...props} />
          </PlainNodes>
        </EdgeDirection>
      </ToggleChild>
    </ReactFlowProvider>
  )
}

function Flow(props: GraphViewProps) {
  const { model, selected, onSelect, critical, open = noneOpen, onSelectChild, direction = 'right' } = props
  const places = usePlaces(model, open, direction)
  const flow = useReactFlow()
  const path = useMemo(() => (critical ? criticalPath(model) : new Set<string>()), [critical, model])
  const nodes = useMemo(() => nodesOf({ model, open, places, selected, path }), [model, open, places, selected, path])
  const large = model.nodes.length > largeFrom
  const edges = useMemo(() => edgesOf({ model, open, path }), [model, open, path])
  const rects = useMemo(() => rectsOf(nodes), [nodes])
  const bounds = useMemo(() => boundsOf(rects.values()), [rects])
  const choose = (id: string) => {
    const [key = '', childKey] = id.split('/')
    if (childKey === undefined) onSelect?.(key)
    else onSelectChild?.(key, childKey)
  }
  const frame = useRef<HTMLDivElement>(null)
  const sizeOf = () => ({ width: frame.current?.clientWidth ?? 0, height: frame.current?.clientHeight ?? 0 })
  const showAll = useEffectEvent(
    () => void flow.setViewport(viewOf(bounds, sizeOf(), rects.get(selected ?? activeKey(model) ?? ''))),
  )
  // Fitted when the layout or the frame is new, never while it is looked at.
  useEffect(() => {
    if (places) requestAnimationFrame(() => showAll())
  }, [places])
  useEffect(() => {
    if (!frame.current) return undefined
    const observer = new ResizeObserver(() => showAll())
    observer.observe(frame.current)
    return () => observer.disconnect()
  }, [])
  const moves = useOwnLayer(frame)
  const follow = useFollowFocus(rects, sizeOf)
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: only watches which node has focus
    <div className="graph" ref={frame} aria-busy={!places} onFocus={follow}>
      {!places && <p className="graph-note muted">Drawing the graph…</p>}
      <ReactFlow
        nodes={large ? noNodes : nodes}
        edges={large ? noEdges : edges}
        nodeTypes={nodeTypes}
        nodesDraggable={false}
        nodesConnectable={false}
        elementsSelectable={false}
        edgesFocusable={false}
        nodesFocusable={false}
        minZoom={0.05}
        maxZoom={1.6}
        onNodeClick={(_, node) => choose(node.id)}
        proOptions={{ hideAttribution: true }}
        {...moves}
      >
        {large && <PlainGraph nodes={nodes} edges={edges} rects={rects} direction={direction} onChoose={choose} />}
        {large && <PlainMap nodes={nodes} rects={rects} frame={sizeOf} />}
        {!large && <Background gap={20} size={1} color="var(--line)" />}
        <EdgeFades bounds={bounds} frame={sizeOf} />
        <Controls showInteractive={false} onFitView={showAll} />
        {!large && model.nodes.length >= minimapFrom && (
          <MiniMap pannable zoomable nodeColor={miniColor} maskColor="transparent" />
        )}
      </ReactFlow>
    </div>
  )
}

const miniColor = (node: Node): string => `var(--status-${toneOfNode(node)})`
