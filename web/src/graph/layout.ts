import ELK from 'elkjs/lib/elk-api.js'
// As a file of its own, already minified: the layout engine is larger than the rest of the console together.
import workerUrl from 'elkjs/lib/elk-worker.min.js?url'

export type Direction = 'right' | 'down'

export interface LayoutRequest {
  direction: Direction
  nodes: readonly { key: string; width: number; height: number }[]
  edges: readonly { from: string; to: string }[]
}

export type Places = Readonly<Record<string, { x: number; y: number }>>

/** Begun when the drawing is loaded, while the run is still being read: its worker takes half a second to be ready. */
const engine = new ELK({ workerFactory: () => new Worker(workerUrl) })

/** The careful choices take seconds from a few hundred nodes on; a plain drawing is better than none. */
const carefulUpTo = 400

const optionsFor = (nodes: number, direction: Direction): Record<string, string> => ({
  'elk.algorithm': 'layered',
  'elk.direction': direction === 'right' ? 'RIGHT' : 'DOWN',
  'elk.layered.spacing.nodeNodeBetweenLayers': '30',
  'elk.spacing.nodeNode': '18',
  'elk.spacing.componentComponent': '28',
  ...(nodes <= carefulUpTo
    ? { 'elk.layered.considerModelOrder.strategy': 'NODES_AND_EDGES' }
    : {
        'elk.layered.layering.strategy': 'LONGEST_PATH',
        'elk.layered.nodePlacement.strategy': 'SIMPLE',
        'elk.layered.thoroughness': '1',
        'elk.edgeRouting': 'POLYLINE',
      }),
})

/** Layered, in a worker. */
export async function layout({ nodes, edges, direction }: LayoutRequest): Promise<Places> {
  const { children = [] } = await engine.layout({
    id: 'root',
    layoutOptions: optionsFor(nodes.length, direction),
    children: nodes.map(({ key, width, height }) => ({ id: `n:${key}`, width, height })),
    edges: edges.map(({ from, to }, index) => ({ id: `e:${index}`, sources: [`n:${from}`], targets: [`n:${to}`] })),
  })
  return Object.fromEntries(children.map(({ id, x = 0, y = 0 }) => [id.slice(2), { x, y }]))
}
