import { createElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, it } from 'vitest'
import { groupBy } from './group-by'
import { knownStatuses, StatusIcon } from './status'

const shapeOf = (status: string) =>
  renderToStaticMarkup(createElement(StatusIcon, { status })).replace(/class="[^"]*"/, '')

it('gives one shape one meaning, whatever its colour', () => {
  const sharing = [...groupBy(knownStatuses, shapeOf).values()].filter(({ length }) => length > 1)
  expect(sharing).toEqual([
    ['succeeded', 'delivered', 'success', 'complete'],
    ['failed', 'failure'],
  ])
  expect(knownStatuses.map(shapeOf)).not.toContain(shapeOf('whatever else'))
})
