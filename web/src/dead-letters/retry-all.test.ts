import { describe, expect, it } from 'vitest'
import type { Outcome } from './dead-letter-queries'
import { retryPages } from './retry-all'

const newestAt = '2026-01-02T00:00:00.000Z'
const behind = '2026-01-02T00:00:00.001Z'
const retried = (id: string): Outcome => ({ id, outcome: 'retried' })
const failed = (id: string): Outcome => ({ id, outcome: 'failed', error: { code: 'x', message: 'no' } })

/** Answers page by page, and notes what was asked. */
function pages(...answers: { items: Outcome[]; more: boolean }[]) {
  const asked: object[] = []
  const retry = async (filter: object) => {
    asked.push(filter)
    const answer = answers[asked.length - 1]
    if (!answer) throw new Error('asked once too often')
    return answer
  }
  return { asked, retry }
}

describe('retrying all dead letters that match', () => {
  it('goes on while there are more, and never beyond the newest that was on screen', async () => {
    const { asked, retry } = pages(
      { items: [retried('a'), failed('b')], more: true },
      { items: [retried('c')], more: false },
    )
    const outcomes = await retryPages({ workflow: 'orders' }, newestAt, retry)
    expect(outcomes.map(({ id }) => id)).toEqual(['a', 'b', 'c'])
    expect(asked).toEqual(Array(2).fill({ workflow: 'orders', to: behind }))
  })

  it('keeps an earlier end of the filter', async () => {
    const { asked, retry } = pages({ items: [], more: false })
    await retryPages({ to: '2026-01-01T00:00:00Z' }, newestAt, retry)
    expect(asked).toEqual([{ to: '2026-01-01T00:00:00Z' }])
  })

  it('ends where nothing of a page could be retried, and counts what is refused twice once', async () => {
    const { asked, retry } = pages(
      { items: [failed('a'), retried('b')], more: true },
      { items: [failed('a'), failed('c')], more: true },
    )
    expect((await retryPages({}, newestAt, retry)).map(({ id }) => id)).toEqual(['a', 'b', 'c'])
    expect(asked).toHaveLength(2)
  })
})
