import { useOnViewportChange, useReactFlow, type Viewport } from '@xyflow/react'
import { useEffect, useRef } from 'react'
import { Icon } from '../ui/icons'
import { type Rect, type Side, sidesBeyond } from './place-view'

const sides: readonly Side[] = ['left', 'right', 'top', 'bottom']
/** A step leaves something of what was seen. */
const stepShare = 0.7

interface EdgeFadesProps {
  bounds: Rect
  frame: () => { width: number; height: number }
}

/**
 * Says on which sides there is more of the graph, and goes there. Set on the elements, past React: a pan must render
 * nothing.
 */
export function EdgeFades({ bounds, frame }: EdgeFadesProps) {
  const flow = useReactFlow()
  const host = useRef<HTMLDivElement>(null)
  const mark = (viewport: Viewport) => {
    const beyond = sidesBeyond(bounds, frame(), viewport)
    for (const button of host.current?.querySelectorAll('button') ?? [])
      button.hidden = !beyond.includes(button.dataset.side as Side)
  }
  useOnViewportChange({ onChange: mark })
  useEffect(() => mark(flow.getViewport()))
  const go = (side: Side) => {
    const { x, y, zoom } = flow.getViewport()
    const { width, height } = frame()
    const step = { left: [width, 0], right: [-width, 0], top: [0, height], bottom: [0, -height] }[side]
    void flow.setViewport({ x: x + (step[0] ?? 0) * stepShare, y: y + (step[1] ?? 0) * stepShare, zoom })
  }
  return (
    <div ref={host}>
      {sides.map((side) => (
        <button
          key={side}
          type="button"
          hidden
          className="graph-more"
          data-side={side}
          aria-label={`More of the graph: ${side}`}
          onClick={() => go(side)}
        >
          <Icon name="right" />
        </button>
      ))}
    </div>
  )
}
