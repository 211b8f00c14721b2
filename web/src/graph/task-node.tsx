import { Handle, type NodeProps, Position } from '@xyflow/react'
import { memo } from 'react'
import { formatCount } from '../ui/format'
import { StatusIcon, toneOf } from '../ui/status'
import { Duration } from '../ui/time'
import type { GraphNode } from './graph-model'

export interface TaskNodeData {
  node: GraphNode
  selected: boolean
  lit: boolean
}

export const TaskNodeView = memo(
  ({ data }: NodeProps) => {
    const { node, selected, lit } = data as unknown as TaskNodeData
    const status = node.status ?? 'pending'
    return (
      <button
        type="button"
        className={`node node-${toneOf(status)}`}
        data-selected={selected}
        data-lit={lit}
        data-status={node.status}
      >
        <Handle type="target" position={Position.Left} isConnectable={false} />
        <span className="node-line">
          {node.status && <StatusIcon status={status} />}
          <span className="node-key" title={node.key}>
            {node.key}
          </span>
          {node.attempt > 1 && <span className="tag">×{node.attempt}</span>}
        </span>
        <span className="node-line node-under">
          <span className="node-uses" title={node.uses}>
            {node.uses}
          </span>
          {node.reused ? (
            <span>reused</span>
          ) : (
            node.startedAt && <Duration from={node.startedAt} to={node.finishedAt} />
          )}
        </span>
        {node.items && <ItemsBar items={node.items} />}
        {node.percent !== undefined && status === 'running' && <Progress percent={node.percent} />}
        <Handle type="source" position={Position.Right} isConnectable={false} />
      </button>
    )
  },
  (before, after) => {
    const [a, b] = [before.data as unknown as TaskNodeData, after.data as unknown as TaskNodeData]
    return a.selected === b.selected && a.lit === b.lit && JSON.stringify(a.node) === JSON.stringify(b.node)
  },
)

const barOrder = ['succeeded', 'failed', 'running', 'waiting', 'queued', 'delayed', 'pending', 'skipped', 'cancelled']

function ItemsBar({ items }: { items: NonNullable<GraphNode['items']> }) {
  const { total, counts } = items
  const done = (counts.succeeded ?? 0) + (counts.failed ?? 0) + (counts.skipped ?? 0) + (counts.cancelled ?? 0)
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
      <span className="visually-hidden">
        {formatCount(done)} of {formatCount(total)}
      </span>
    </span>
  )
}

const Progress = ({ percent }: { percent: number }) => (
  <span className="node-items" title={`${percent} %`}>
    <span className="node-part bar-running" style={{ width: `${Math.min(100, Math.max(0, percent))}%` }} />
  </span>
)
