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
import { useEffect, useMemo, useRef, useState } from 'react'
import { criticalPath, type GraphModel } from './graph-model'
import { layout, type Places } from './layout'
import { type TaskNodeData, TaskNodeView } from './task-node'
import './graph.css'

const nodeWidth = 212
const nodeHeight = 54
const nodeTypes = { task: TaskNodeView }
const minimapFrom = 25

interface GraphViewProps {
  model: GraphModel
  selected?: string | undefined
  onSelect?: (key: string) => void
  /** Light the tasks that decided how long the run took. */
  critical?: boolean
}

export function GraphView(props: GraphViewProps) {
  return (
    <ReactFlowProvider>
      <Flow {...props} />
    </ReactFlowProvider>
  )
}

/** Only the shape decides where nodes are: a change of status moves nothing and asks for no new layout. */
function usePlaces(model: GraphModel): Places | undefined {
  const [places, setPlaces] = useState<Places>()
  const shape = useMemo(
    () => JSON.stringify([model.nodes.map(({ key }) => key), model.edges.map(({ from, to }) => [from, to])]),
    [model],
  )
  useEffect(() => {
    let current = true
    const [nodes, edges] = JSON.parse(shape) as [string[], [string, string][]]
    void layout({ nodes, edges: edges.map(([from, to]) => ({ from, to })), width: nodeWidth, height: nodeHeight }).then(
      (found) => current && setPlaces(found),
    )
    return () => {
      current = false
    }
  }, [shape])
  return places
}

function Flow({ model, selected, onSelect, critical }: GraphViewProps) {
  const places = usePlaces(model)
  const flow = useReactFlow()
  const path = useMemo(() => (critical ? criticalPath(model) : new Set<string>()), [critical, model])
  const nodes = useMemo(() => nodesOf(model, places, selected, path), [model, places, selected, path])
  const edges = useMemo(() => edgesOf(model, path), [model, path])
  // biome-ignore lint/correctness/useExhaustiveDependencies: fitted when the layout is new, never while it is looked at
  useEffect(() => {
    if (places) requestAnimationFrame(() => void flow.fitView({ maxZoom: 1, padding: 0.12 }))
  }, [places])
  const frame = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (!frame.current) return undefined
    const observer = new ResizeObserver(() => void flow.fitView({ maxZoom: 1, padding: 0.12 }))
    observer.observe(frame.current)
    return () => observer.disconnect()
  }, [flow])
  return (
    <div className="graph" ref={frame} aria-busy={!places}>
      <ReactFlow
        nodes={nodes}
        edges={edges}
        nodeTypes={nodeTypes}
        nodesDraggable={false}
        nodesConnectable={false}
        elementsSelectable={false}
        edgesFocusable={false}
        nodesFocusable={false}
        onlyRenderVisibleElements={model.nodes.length > 150}
        minZoom={0.05}
        maxZoom={1.6}
        onNodeClick={(_, node) => onSelect?.(node.id)}
        proOptions={{ hideAttribution: true }}
      >
        <Background gap={20} size={1} color="var(--line)" />
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

function nodesOf(
  model: GraphModel,
  places: Places | undefined,
  selected: string | undefined,
  path: ReadonlySet<string>,
): Node[] {
  if (!places) return []
  return model.nodes.flatMap((node) => {
    const place = places[node.key]
    if (!place) return []
    const data: TaskNodeData = { node, selected: node.key === selected, lit: path.has(node.key) }
    return [
      {
        id: node.key,
        type: 'task',
        position: place,
        data: data as unknown as Record<string, unknown>,
        width: nodeWidth,
        height: nodeHeight,
        ariaLabel: `Task ${node.key}`,
      },
    ]
  })
}

const edgesOf = ({ edges }: GraphModel, path: ReadonlySet<string>): Edge[] =>
  edges.map(({ from, to }) => ({
    id: `${from}→${to}`,
    source: from,
    target: to,
    className: path.has(from) && path.has(to) ? 'edge edge-lit' : 'edge',
  }))
