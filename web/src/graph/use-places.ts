import { useEffect, useMemo, useState } from 'react'
import type { GraphModel } from './graph-model'
import { type Direction, layout, type Places } from './layout'

export const nodeWidth = 192
export const nodeHeight = 58
/** Around the tasks of a sub-workflow that is open in its place, and above them for its name. */
const padding = 16
const headHeight = 38

export interface Opened {
  width: number
  height: number
  places: Places
}

export interface GraphPlaces {
  places: Places
  /** Sub-workflows that are drawn in place, by the key of the task that stands for them. */
  opened: ReadonlyMap<string, Opened>
}

type Shape = [keys: string[], edges: [string, string][]]

const shapeOf = ({ nodes, edges }: GraphModel): Shape => [
  nodes.map(({ key }) => key),
  edges.map(({ from, to }) => [from, to]),
]
const edgesOf = ([, edges]: Shape) => edges.map(([from, to]) => ({ from, to }))

async function layoutChild(shape: Shape, direction: Direction): Promise<Opened> {
  const nodes = shape[0].map((key) => ({ key, width: nodeWidth, height: nodeHeight }))
  const found = await layout({ nodes, edges: edgesOf(shape), direction })
  const all = Object.values(found)
  return {
    width: Math.max(0, ...all.map(({ x }) => x)) + nodeWidth + 2 * padding,
    height: Math.max(0, ...all.map(({ y }) => y)) + nodeHeight + headHeight + padding,
    places: Object.fromEntries(
      Object.entries(found).map(([key, { x, y }]) => [key, { x: x + padding, y: y + headHeight }]),
    ),
  }
}

/** Only the shape decides where nodes are: a change of status moves nothing and asks for no new layout. */
export function usePlaces(
  model: GraphModel,
  open: ReadonlyMap<string, GraphModel>,
  direction: Direction,
): GraphPlaces | undefined {
  const [places, setPlaces] = useState<GraphPlaces>()
  const shape = useMemo(
    () => JSON.stringify([shapeOf(model), [...open].map(([key, child]) => [key, shapeOf(child)])]),
    [model, open],
  )
  useEffect(() => {
    let current = true
    const find = async () => {
      const [own, children] = JSON.parse(shape) as [Shape, [string, Shape][]]
      const opened = new Map<string, Opened>()
      for (const [key, child] of children) opened.set(key, await layoutChild(child, direction))
      const nodes = own[0].map((key) => {
        const { width = nodeWidth, height = nodeHeight } = opened.get(key) ?? {}
        return { key, width, height }
      })
      const found = await layout({ nodes, edges: edgesOf(own), direction })
      if (current) setPlaces({ places: found, opened })
    }
    void find()
    return () => {
      current = false
    }
  }, [shape, direction])
  return places
}
