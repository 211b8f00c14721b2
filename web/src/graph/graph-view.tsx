import { Background, Controls, MiniMap, type Node, ReactFlow, ReactFlowProvider, useReactFlow } from '@xyflow/react'
import { useEffect, useMemo, useRef } from 'react'
import { edgesOf, nodesOf } from './flow-elements'
import { criticalPath, type GraphModel } from './graph-model'
import { OpenedNodeView, type TaskNodeData, TaskNodeView, ToggleChild } from './task-node'
import { usePlaces } from './use-places'
import './graph.css'

const nodeTypes = { task: TaskNodeView, opened: OpenedNodeView }
const noneOpen: ReadonlyMap<string, GraphModel> = new Map()
const minimapFrom = 25
/** From here on only what is on screen is drawn, and plainly: panning must stay smooth without a graphics card. */
const largeFrom = 150
/** Smaller than this nobody can read: of a wide graph the middle is shown, and the rest by panning. */
const fit = { minZoom: 0.45, maxZoom: 1, padding: 0.12 }

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
        <Flow {...props} />
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
  const edges = useMemo(() => edgesOf({ model, open, path, large }), [model, open, path, large])
  const choose = (id: string) => {
    const [key = '', childKey] = id.split('/')
    if (childKey === undefined) onSelect?.(key)
    else onSelectChild?.(key, childKey)
  }
  // biome-ignore lint/correctness/useExhaustiveDependencies: fitted when the layout is new, never while it is looked at
  useEffect(() => {
    if (places) requestAnimationFrame(() => void flow.fitView(fit))
  }, [places])
  const frame = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (!frame.current) return undefined
    const observer = new ResizeObserver(() => void flow.fitView(fit))
    observer.observe(frame.current)
    return () => observer.disconnect()
  }, [flow])
  return (
    <div className="graph" ref={frame} aria-busy={!places}>
      {!places && <p className="graph-note muted">Drawing the graph…</p>}
      <ReactFlow
        nodes={nodes}
        edges={edges}
        nodeTypes={nodeTypes}
        nodesDraggable={false}
        nodesConnectable={false}
        elementsSelectable={false}
        edgesFocusable={false}
        nodesFocusable={false}
        onlyRenderVisibleElements={large}
        minZoom={0.05}
        maxZoom={1.6}
        onNodeClick={(_, node) => choose(node.id)}
        proOptions={{ hideAttribution: true }}
      >
        {!large && <Background gap={20} size={1} color="var(--line)" />}
        <Controls showInteractive={false} />
        {model.nodes.length >= minimapFrom && (
          <MiniMap pannable zoomable nodeColor={miniColor} maskColor="transparent" />
        )}
      </ReactFlow>
    </div>
  )
}

const miniColor = (node: Node): string => {
  const status = (node.data as unknown as TaskNodeData).node.status ?? 'pending'
  return { succeeded: 'var(--ok)', failed: 'var(--danger)', running: 'var(--accent)' }[status] ?? 'var(--line-strong)'
}
