/** Where nodes are, and which part of them is shown first. Pure. */

export interface Rect {
  x: number
  y: number
  width: number
  height: number
}

interface PlacedNode {
  id: string
  position: { x: number; y: number }
  width?: number
  height?: number
  parentId?: string
}

/** Tasks of a sub-workflow that is open are placed within its frame, which comes before them. */
export function rectsOf(nodes: readonly PlacedNode[]): ReadonlyMap<string, Rect> {
  const rects = new Map<string, Rect>()
  for (const { id, position, width = 0, height = 0, parentId } of nodes) {
    const { x = 0, y = 0 } = (parentId === undefined ? undefined : rects.get(parentId)) ?? {}
    rects.set(id, { x: x + position.x, y: y + position.y, width, height })
  }
  return rects
}

export function boundsOf(rects: Iterable<Rect>): Rect {
  let [left, top, right, bottom] = [Infinity, Infinity, -Infinity, -Infinity]
  for (const { x, y, width, height } of rects) {
    left = Math.min(left, x)
    top = Math.min(top, y)
    right = Math.max(right, x + width)
    bottom = Math.max(bottom, y + height)
  }
  return left === Infinity
    ? { x: 0, y: 0, width: 0, height: 0 }
    : { x: left, y: top, width: right - left, height: bottom - top }
}

/** Smaller than this nobody can read: names of tasks, of 14 px, are 10 px high. */
const leastZoom = 0.72
const marginPx = 24

/** All of it in the middle; of what is too large to be read, the part around `focus`, else the beginning. */
export function viewOf(bounds: Rect, frame: { width: number; height: number }, focus?: Rect) {
  const room = { width: frame.width - 2 * marginPx, height: frame.height - 2 * marginPx }
  const whole = Math.min(room.width / Math.max(1, bounds.width), room.height / Math.max(1, bounds.height))
  const zoom = Math.min(1, Math.max(leastZoom, whole))
  const start = (from: number, size: number, available: number, middle: number) => {
    const over = size * zoom - available
    // Beyond the beginning and the end there is nothing to see.
    const shift = over > 0 ? Math.min(over, Math.max(0, (middle - from) * zoom - available / 2)) : over / 2
    return marginPx - shift - from * zoom
  }
  const at = focus ?? { x: bounds.x, y: bounds.y, width: 0, height: 0 }
  return {
    x: start(bounds.x, bounds.width, room.width, at.x + at.width / 2),
    y: start(bounds.y, bounds.height, room.height, at.y + at.height / 2),
    zoom,
  }
}

export type Side = 'left' | 'right' | 'top' | 'bottom'

/** Less than this beyond an edge is a margin, not something to go and see. */
const hiddenPx = 12

/** On which sides of the frame there is more of the graph. */
export function sidesBeyond(
  bounds: Rect,
  frame: { width: number; height: number },
  { x, y, zoom }: { x: number; y: number; zoom: number },
): Side[] {
  const over: [Side, number][] = [
    ['left', -(bounds.x * zoom + x)],
    ['right', (bounds.x + bounds.width) * zoom + x - frame.width],
    ['top', -(bounds.y * zoom + y)],
    ['bottom', (bounds.y + bounds.height) * zoom + y - frame.height],
  ]
  return over.flatMap(([side, px]) => (px > hiddenPx ? [side] : []))
}
