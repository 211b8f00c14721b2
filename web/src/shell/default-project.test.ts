import { expect, it } from 'vitest'
import { addressInProject } from './default-project'

const projects = [
  { id: '0196a0a0-0000-7000-8000-000000000001', slug: 'shop' },
  { id: '0196a0a0-0000-7000-8000-000000000002', slug: 'books' },
]
const address = (pathname: string, searchStr = '', remembered: string | null = null) =>
  addressInProject({ pathname, searchStr }, projects, remembered)

it.each([
  ['/', '', null, '/p/shop/overview'],
  ['/', '', 'books', '/p/books/overview'],
  ['/runs', '?status=failed', 'gone', '/p/shop/runs?status=failed'],
  ['/runs/r-1', '?project=books', 'shop', '/p/books/runs/r-1'],
  ['/runs/r-1', `?project=${projects[1]?.id}`, 'shop', '/p/books/runs/r-1'],
  ['/runs/r-1', '?view=related&project=books&task=a', null, '/p/books/runs/r-1?view=related&task=a'],
  ['/runs/r-1', '?project=not-mine', 'books', '/p/books/runs/r-1'],
])('%s%s with %s seen last leads to %s', (pathname, searchStr, remembered, expected) =>
  expect(address(pathname, searchStr, remembered)).toBe(expected),
)

it('leads nowhere without a project', () =>
  expect(addressInProject({ pathname: '/', searchStr: '' }, [], 'shop')).toBeUndefined())
