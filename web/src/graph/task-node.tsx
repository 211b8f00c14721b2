import { Handle, type Node, type NodeProps, Position } from '@xyflow/react'
import { createContext, memo, type ReactNode, use } from 'react'
import { Button } from '../ui/button'
import { formatCount } from '../ui/format'
import { StatusIcon, type Tone, toneOf } from '../ui/status'
import { Duration } from '../ui/time'
import type { GraphNode } from './graph-model'
import type { Direction } from './layout'

export interface TaskNodeData {
  node: GraphNode
  selected: boolean
  lit: boolean
}

export const toneOfNode = (node: Node): Tone => toneOf((node.data as unknown as TaskNodeData).node.status ?? 'pending')

/** In a large graph edges are drawn apart, and no node has anything that an edge could be tied to. */
export const PlainNodes = createContext(false)

/** Edges run in it, from one side of a node to the opposite one. */
export const EdgeDirection = createContext<Direction>('right')

const Ends = ({ children }: { children: ReactNode }) => {
  const right = use(EdgeDirection) === 'right'
  if (use(PlainNodes)) return children
  return (
    <>
      <Handle type="target" position={right ? Position.Left : Position.Top} isConnectable={false} />
      {children}
      <Handle type="source" position={right ? Position.Right : Position.Bottom} isConnectable={false} />
    </>
  )
}

/** Cut by its length where a clip, which an ellipsis needs, is too dear. */
const Short = ({ text, most }: { text: string; most: number }) =>
  use(PlainNodes) && text.length > most ? `${text.slice(0, most - 1)}…` : text

/** The end of a long name often tells it from what begins alike: what is cut stands before it. */
const keptEnd = 11

/** A compensation is named after its task: a mark says that much, and the task's name has the room. */
const undoes = '.compensate'

function NodeKey({ name }: { name: string }) {
  if (use(PlainNodes)) {
    const most = 19
    return name.length > most ? `${name.slice(0, most - keptEnd - 1)}…${name.slice(-keptEnd)}` : name
  }
  if (name.endsWith(undoes)) {
    return (
      <>
        <svg className="node-undoes" width="12" height="12" viewBox="0 0 14 14" aria-hidden="true">
          <path d="M5 2L2.200 4.800 5 7.600M2.500 4.800h5.700a3.200 3.200 0 010 6.400H4.500" />
        </svg>
        <span className="node-key-start">{name.slice(0, -undoes.length)}</span>
        <span className="visually-hidden">{undoes}</span>
      </>
    )
  }
  const end = name.length > keptEnd + 4 ? name.length - keptEnd : name.length
  return (
    <>
      <span className="node-key-start">{name.slice(0, end)}</span>
      {end < name.length && <span>{name.slice(end)}</span>}
    </>
  )
}

/** Opens a sub-workflow in place, or closes it; absent where graphs are only looked at. */
const ToggleContext = createContext<((key: string) => void) | undefined>(undefined)
export const ToggleChild = ToggleContext.Provider

/** A button of its own beside the node, which is one itself. */
function Toggle({ node, isOpen }: { node: GraphNode; isOpen: boolean }) {
  const toggle = use(ToggleContext)
  if (!toggle || !node.childRunId) return null
  const label = isOpen ? `Close ${node.key}` : `Open ${node.key} in place`
  return (
    <Button
      small
      className="node-toggle nodrag nopan"
      aria-label={label}
      title={label}
      aria-expanded={isOpen}
      onClick={(event) => {
        event.stopPropagation()
        toggle(node.key)
      }}
    >
      {isOpen ? '−' : '+'}
    </Button>
  )
}

/** The frame of a sub-workflow that is open in place; its tasks are nodes of their own inside it. */
export const OpenedNodeView = memo(({ data }: NodeProps) => {
  const { node, selected } = data as unknown as TaskNodeData
  return (
    <div className="node-frame" data-selected={selected} data-status={node.status}>
      <Ends>
        <button type="button" className="node-frame-head">
          <StatusIcon status={node.status ?? 'pending'} />
          <span className="node-key">{node.key}</span>
          <span className="node-uses">{node.uses}</span>
        </button>
        <Toggle node={node} isOpen />
      </Ends>
    </div>
  )
})

export const TaskNodeView = memo(
  ({ data }: NodeProps) => {
    const { node, selected, lit } = data as unknown as TaskNodeData
    const status = node.status ?? 'pending'
    const own = (
      <button
        type="button"
        className={`node node-${toneOf(status)}`}
        data-selected={selected}
        data-lit={lit}
        data-status={node.status}
      >
        <Ends>
          <span className="node-line">
            {node.status && <StatusIcon status={status} />}
            <span className="node-key" title={node.key}>
              <NodeKey name={node.key} />
            </span>
            {node.attempt > 1 && <span className="tag">×{node.attempt}</span>}
          </span>
          <span className="node-line node-under">
            <span className="node-uses" title={node.uses}>
              <Short text={node.uses} most={15} />
            </span>
            {node.items && <span className="node-count">{doneOf(node.items)}</span>}
            {node.reused ? (
              <span>reused</span>
            ) : (
              node.startedAt && <Duration from={node.startedAt} to={node.finishedAt} />
            )}
          </span>
          {node.items && <ItemsBar items={node.items} />}
          {node.percent !== undefined && status === 'running' && <Progress percent={node.percent} />}
        </Ends>
      </button>
    )
    return (
      <>
        {own}
        <Toggle node={node} isOpen={false} />
      </>
    )
  },
  (before, after) => {
    const [a, b] = [before.data as unknown as TaskNodeData, after.data as unknown as TaskNodeData]
    if (a.selected !== b.selected || a.lit !== b.lit) return false
    return a.node === b.node || JSON.stringify(a.node) === JSON.stringify(b.node)
  },
)

const barOrder = [
  'succeeded',
  'ended',
  'failed',
  'running',
  'waiting',
  'queued',
  'delayed',
  'pending',
  'skipped',
  'cancelled',
]

const over = ['ended', 'succeeded', 'failed', 'skipped', 'cancelled']

function doneOf({ total, counts }: NonNullable<GraphNode['items']>): string {
  const done = over.reduce((sum, status) => sum + (counts[status] ?? 0), 0)
  return `${formatCount(done)} of ${formatCount(total)}`
}

function ItemsBar({ items }: { items: NonNullable<GraphNode['items']> }) {
  const { total, counts } = items
  return (
    <span
      className="node-items"
      title={barOrder.flatMap((each) => (counts[each] ? [`${counts[each]} ${each}`] : [])).join(', ')}
    >
      {barOrder.map((status) =>
        counts[status] ? (
          <span
            key={status}
            className={`node-part bar-${toneOf(status)}`}
            style={{ width: `${(counts[status] / total) * 100}%` }}
          />
        ) : null,
      )}
    </span>
  )
}

const Progress = ({ percent }: { percent: number }) => (
  <span className="node-items" title={`${percent} %`}>
    <span className="node-part bar-running" style={{ width: `${Math.min(100, Math.max(0, percent))}%` }} />
  </span>
)
