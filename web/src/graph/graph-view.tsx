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
import { edgesOf, nodesOf } from './flow-elements'
import { criticalPath, type GraphModel } from './graph-model'
import { boundsOf, rectsOf, viewOf } from './place-view'
import { PlainGraph } from './plain-graph'
import { PlainMap } from './plain-map'
import { OpenedNodeView, PlainNodes, TaskNodeView, ToggleChild, toneOfNode } from './task-node'
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
}

export function GraphView(props: GraphViewProps) {
  return (
    <ReactFlowProvider>
      <ToggleChild value={props.onToggle}>
        <PlainNodes value={props.model.nodes.length > largeFrom}>
          <Flow {...props} />
        </PlainNodes>
      </ToggleChild>
    </ReactFlowProvider>
  )
}

function Flow({ model, selected, onSelect, critical, open = noneOpen, onSelectChild }: GraphViewProps) {
  const places = usePlaces(model, open)
  const flow = useReactFlow()
  const path = useMemo(() => (critical ? criticalPath(model) : new Set<string>()), [critical, model])
  const nodes = useMemo(() => nodesOf({ model, open, places, selected, path }), [model, open, places, selected, path])
  const large = model.nodes.length > largeFrom
  const edges = useMemo(() => edgesOf({ model, open, path }), [model, open, path])
  const rects = useMemo(() => rectsOf(nodes), [nodes])
  const choose = (id: string) => {
    const [key = '', childKey] = id.split('/')
    if (childKey === undefined) onSelect?.(key)
    else onSelectChild?.(key, childKey)
  }
  const frame = useRef<HTMLDivElement>(null)
  const sizeOf = () => ({ width: frame.current?.clientWidth ?? 0, height: frame.current?.clientHeight ?? 0 })
  const showAll = useEffectEvent(
    () => void flow.setViewport(viewOf(boundsOf(rects.values()), sizeOf(), rects.get(selected ?? ''))),
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
  return (
    <div className="graph" ref={frame} aria-busy={!places}>
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
        {large && <PlainGraph nodes={nodes} edges={edges} rects={rects} onChoose={choose} />}
        {large && <PlainMap nodes={nodes} rects={rects} frame={sizeOf} />}
        {!large && <Background gap={20} size={1} color="var(--line)" />}
        <Controls showInteractive={false} onFitView={showAll} />
        {!large && model.nodes.length >= minimapFrom && (
          <MiniMap pannable zoomable nodeColor={miniColor} maskColor="transparent" />
        )}
      </ReactFlow>
    </div>
  )
}

const miniColor = (node: Node): string => `var(--status-${toneOfNode(node)})`
