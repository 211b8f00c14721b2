import { type Node, Panel, useOnViewportChange, useReactFlow, type Viewport } from '@xyflow/react'
import { type MouseEvent, useEffect, useMemo, useRef } from 'react'
import { boundsOf, type Rect } from './place-view'
import { toneOfNode } from './task-node'

const [mapWidth, mapHeight] = [200, 130]

interface PlainMapProps {
  nodes: readonly Node[]
  rects: ReadonlyMap<string, Rect>
  /** Of the drawing on screen. */
  frame: () => { width: number; height: number }
}

/** The overview of a large graph: a path for each tone, drawn once; only the marker of what is on screen moves. */
export function PlainMap({ nodes, rects, frame }: PlainMapProps) {
  const flow = useReactFlow()
  const marker = useRef<HTMLDivElement>(null)
  const bounds = useMemo(() => boundsOf(rects.values()), [rects])
  const scale = Math.min(mapWidth / Math.max(1, bounds.width), mapHeight / Math.max(1, bounds.height))
  const paths = useMemo(() => pathsOf(nodes, rects), [nodes, rects])
  const mark = ({ x, y, zoom }: Viewport) => {
    const { width, height } = frame()
    const [left, top] = [(-x / zoom - bounds.x) * scale, (-y / zoom - bounds.y) * scale]
    if (!marker.current) return
    marker.current.style.transform = `translate(${left}px, ${top}px)`
    marker.current.style.width = `${(width / zoom) * scale}px`
    marker.current.style.height = `${(height / zoom) * scale}px`
  }
  useOnViewportChange({ onChange: mark })
  useEffect(() => mark(flow.getViewport()))
  const go = (event: MouseEvent<HTMLDivElement>) => {
    const { left, top } = event.currentTarget.getBoundingClientRect()
    const { zoom } = flow.getViewport()
    void flow.setCenter(bounds.x + (event.clientX - left) / scale, bounds.y + (event.clientY - top) / scale, { zoom })
  }
  const [width, height] = [bounds.width * scale, bounds.height * scale]
  return (
    <Panel position="bottom-right">
      <div className="plain-map nopan" aria-hidden="true" style={{ width, height }} onClick={go}>
        <svg
          aria-hidden="true"
          width={width}
          height={height}
          viewBox={`${bounds.x} ${bounds.y} ${bounds.width} ${bounds.height}`}
        >
          {[...paths].map(([tone, d]) => (
            <path key={tone} className={`map-${tone}`} d={d} />
          ))}
        </svg>
        <div className="plain-map-marker" ref={marker} />
      </div>
    </Panel>
  )
}

function pathsOf(nodes: readonly Node[], rects: ReadonlyMap<string, Rect>): ReadonlyMap<string, string> {
  const paths = new Map<string, string>()
  for (const node of nodes) {
    const rect = rects.get(node.id)
    if (!rect || node.parentId !== undefined) continue
    const tone = toneOfNode(node)
    const box = `M${rect.x} ${rect.y}h${rect.width}v${rect.height}h${-rect.width}z`
    paths.set(tone, (paths.get(tone) ?? '') + box)
  }
  return paths
}
