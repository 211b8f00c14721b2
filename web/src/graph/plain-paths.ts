import type { Edge } from '@xyflow/react'
import type { Direction } from './layout'
import type { Rect } from './place-view'

type Look = 'plain' | 'undoes' | 'lit'

const lookOf = ({ className = '' }: Pick<Edge, 'className'>): Look => {
  if (className.includes('edge-lit')) return 'lit'
  return className.includes('edge-undoes') ? 'undoes' : 'plain'
}

/** All edges of one look as one path. Pure. */
export function plainPaths(
  edges: readonly Pick<Edge, 'source' | 'target' | 'className'>[],
  rects: ReadonlyMap<string, Rect>,
  direction: Direction,
): Record<Look, string> {
  const paths = { plain: '', undoes: '', lit: '' }
  for (const edge of edges) {
    const [a, b] = [rects.get(edge.source), rects.get(edge.target)]
    if (a && b) paths[lookOf(edge)] += lineOf(a, b, direction)
  }
  return paths
}

const lineOf = (a: Rect, b: Rect, direction: Direction): string =>
  direction === 'right'
    ? `M${a.x + a.width} ${a.y + a.height / 2}L${b.x} ${b.y + b.height / 2}`
    : `M${a.x + a.width / 2} ${a.y + a.height}L${b.x + b.width / 2} ${b.y}`
