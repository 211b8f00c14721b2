import type { Api } from '../api/client'
import type { DeadLetter } from '../api/types'
import { type DeadLetterFilters, filterOf, type Outcome, retryMatching } from './dead-letter-queries'

type RetryFilter = Parameters<typeof retryMatching>[1]
type RetryPage = (filter: RetryFilter) => Promise<{ items: Outcome[]; more: boolean }>

/**
 * Asked again while more match. Bounded by the newest that was on screen: what fails again becomes a new dead letter, and
 * would be retried for ever. A page of which nothing could be retried is the last one: it would come again.
 */
export async function retryPages(filter: RetryFilter, newestAt: string, retry: RetryPage): Promise<Outcome[]> {
  const behind = new Date(Date.parse(newestAt) + 1).toISOString()
  const to = filter.to !== undefined && Date.parse(filter.to) < Date.parse(behind) ? filter.to : behind
  const outcomes = new Map<string, Outcome>()
  for (;;) {
    const { items, more } = await retry({ ...filter, to })
    for (const item of items) outcomes.set(item.id, item)
    if (!more || !items.some(({ outcome }) => outcome === 'retried')) return [...outcomes.values()]
  }
}

export const retryAllThatMatch = (api: Api, filters: DeadLetterFilters, newest: DeadLetter): Promise<Outcome[]> => {
  const { state: _, ...filter } = filterOf(filters, Date.now())
  return retryPages(filter, newest.at, (bounded) => retryMatching(api, bounded))
}
