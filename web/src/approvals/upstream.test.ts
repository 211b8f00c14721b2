import { expect, it } from 'vitest'
import { upstreamOf } from './upstream'

const task = (key: string, output: unknown, index?: number) => ({
  key,
  output,
  ...(index === undefined ? {} : { index }),
})
const graph = {
  nodes: [],
  edges: [
    { from: 'fetch', to: 'check' },
    { from: 'check', to: 'sign-off' },
    { from: 'sign-off', to: 'tell' },
  ],
} as never

it('shows what the decision rests on, the nearest task first, and nothing else', () => {
  const tasks = [task('fetch', 1), task('other', 2), task('check', { ok: true }), task('check', 3, 0), task('tell', 4)]
  expect(upstreamOf('sign-off', graph, tasks).map(({ key }) => key)).toEqual(['check', 'fetch'])
})

it('shows tasks without an output too, and manages without the graph', () => {
  expect(upstreamOf('sign-off', graph, [task('fetch', null)]).map(({ key }) => key)).toEqual(['fetch'])
  expect(upstreamOf('sign-off', undefined, [task('fetch', 1)])).toEqual([])
})
