import { describe, expect, it } from 'vitest'
import { activeKey, buildGraph, criticalPath, type GraphTask } from './graph-model'

const task = (key: string, more: Partial<GraphTask> = {}): GraphTask => ({
  key,
  uses: 'noop',
  status: 'succeeded',
  attempt: 1,
  ...more,
})
const source = {
  nodes: [
    { key: 'a', uses: 'noop' },
    { key: 'b', uses: 'map' },
    { key: 'c', uses: 'noop' },
  ],
  edges: [
    { from: 'a', to: 'b' },
    { from: 'b', to: 'c' },
    { from: 'gone', to: 'c' },
  ],
}

describe('a run as a graph', () => {
  it('draws a map as one node with the counts of its items', () => {
    const items = [0, 1, 2].map((index) => task('b', { index, status: index === 2 ? 'failed' : 'succeeded' }))
    const { nodes } = buildGraph(source, [task('a'), task('b', { uses: 'map', status: 'failed' }), ...items])
    expect(nodes.map(({ key }) => key)).toEqual(['a', 'b', 'c'])
    expect(nodes[1]).toMatchObject({ status: 'failed', items: { total: 3, counts: { succeeded: 2, failed: 1 } } })
    expect(nodes[2]?.status).toBeUndefined()
  })

  it('takes the time of a task from outside where the task has no start of its own', () => {
    const spans = new Map([['a', { from: 1_000, to: undefined }]])
    const at = new Date(1_000).toISOString()
    expect(buildGraph(source, [task('a')], undefined, spans).nodes[0]).toMatchObject({
      startedAt: at,
      finishedAt: null,
    })
    const own = task('a', { startedAt: new Date(9_000).toISOString() })
    expect(buildGraph(source, [own], undefined, spans).nodes[0]?.startedAt).toBe(own.startedAt)
  })

  it('leaves out edges to what is not there, and draws tasks without a definition side by side', () => {
    expect(buildGraph(source, []).edges).toHaveLength(2)
    expect(buildGraph(undefined, [task('one')])).toMatchObject({ nodes: [{ key: 'one' }], edges: [] })
  })

  it('draws a compensation once it has begun, beside the task that it undoes', () => {
    const undo = task('a.compensate', { compensates: 'a' })
    const graph = buildGraph(source, [task('a'), undo])
    expect(graph.nodes.map(({ key }) => key)).toEqual(['a', 'b', 'c', 'a.compensate'])
    expect(graph.edges.at(-1)).toEqual({ from: 'a', to: 'a.compensate', undoes: true })
    const waits = { ...undo, status: 'pending', attempt: 0 }
    expect(buildGraph(source, [task('a'), waits]).nodes).toHaveLength(3)
    expect(buildGraph(undefined, [task('a'), waits]).nodes).toHaveLength(1)
  })

  it('finds where to look first: what runs before what waits before what failed', () => {
    const of = (...statuses: string[]) =>
      activeKey(
        buildGraph(
          undefined,
          statuses.map((status) => task(status, { status })),
        ),
      )
    expect(of('succeeded', 'failed', 'waiting', 'running')).toBe('running')
    expect(of('succeeded', 'failed', 'waiting')).toBe('waiting')
    expect(of('succeeded', 'failed')).toBe('failed')
    expect(of('succeeded', 'pending')).toBeUndefined()
  })

  it('finds the tasks that decided how long the run took', () => {
    const at = (second: number) => new Date(second * 1_000).toISOString()
    const graph = buildGraph(
      {
        nodes: ['a', 'quick', 'slow', 'end', 'never'].map((key) => ({ key, uses: 'noop' })),
        edges: [
          { from: 'a', to: 'quick' },
          { from: 'a', to: 'slow' },
          { from: 'quick', to: 'end' },
          { from: 'slow', to: 'end' },
          { from: 'end', to: 'never' },
        ],
      },
      [
        task('a', { finishedAt: at(1) }),
        task('quick', { finishedAt: at(2) }),
        task('slow', { finishedAt: at(9) }),
        task('end', { finishedAt: at(10) }),
        task('never', { status: 'skipped', finishedAt: null }),
      ],
    )
    expect([...criticalPath(graph)]).toEqual(['end', 'slow', 'a'])
  })
})
