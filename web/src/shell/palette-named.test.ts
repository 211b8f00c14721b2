import { expect, it, vi } from 'vitest'
import { type Named, namedEntries } from './palette-named'

const queue = (name: string): Named => ({ kind: 'queue', id: name, name, path: `workers?queue=${name}` })
const named: Named[] = [
  { kind: 'schedule', id: '1', name: 'Report before the warehouse opens', path: 'schedules/1' },
  ...Array.from({ length: 9 }, (_, at) => queue(`reports-${at}`)),
  { kind: 'worker', id: '2', name: 'warehouse-eu-1', path: 'workers?worker=2' },
]
const hintsOf = (text: string) => namedEntries(named, text, () => () => undefined).map(({ hint }) => hint)

it('offers what has a name or is of a kind that has the text, a few of each kind, and nothing unasked', () => {
  expect(hintsOf('Warehouse')).toEqual(['schedule', 'worker'])
  expect(hintsOf('report')).toEqual(['schedule', 'queue', 'queue', 'queue', 'queue', 'queue'])
  expect(hintsOf('worker')).toEqual(['worker'])
  expect(hintsOf('')).toEqual([])
  expect(namedEntries(undefined, 'x', () => () => undefined)).toEqual([])
})

it('goes where the thing is', () => {
  const open = vi.fn(() => () => undefined)
  namedEntries(named, 'eu-1', open)
  expect(open).toHaveBeenCalledWith('workers?worker=2')
})
