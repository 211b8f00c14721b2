import { useInfiniteQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { useRefetchInterval } from '../api/live'
import { useApi } from '../api/use-api'
import { ErrorNotice } from '../shell/error-notice'
import { PageHead } from '../shell/page-head'
import { useSearchState } from '../shell/use-search-state'
import { Button } from '../ui/button'
import { plural } from '../ui/format'
import { SkeletonRows } from '../ui/states'
import { useSteadyList } from '../ui/use-steady-list'
import { DeadLetterFilterBar } from './dead-letter-filter-bar'
import { DeadLetterGroups } from './dead-letter-group-list'
import { groupDeadLetters } from './dead-letter-groups'
import { type DeadLetterFilters, deadLettersQuery, filtersOf } from './dead-letter-queries'
import { DeadLettersBar } from './dead-letters-bar'
import { MatchingBar } from './matching-bar'
import { NoDeadLetters } from './no-dead-letters'
import { RetryOutcomes, type RetryResult } from './retry-outcomes'
import './dead-letters.css'

export function DeadLettersPage() {
  const { project } = useApi()
  const [search] = useSearchState()
  const filters = useMemo(() => filtersOf(search), [search])
  return (
    <>
      <PageHead title="Dead letters">
        <DeadLetterFilterBar filters={filters} />
      </PageHead>
      <div className="page-body">
        <DeadLetterList key={`${project} ${filters.state}`} filters={filters} />
      </div>
    </>
  )
}

/** Ids that are chosen, and how to choose. */
function useSelection() {
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set())
  const select = (ids: readonly string[], on: boolean) =>
    setSelected((old) => (on ? new Set([...old, ...ids]) : new Set([...old].filter((id) => !ids.includes(id)))))
  return { selected, select, clear: () => setSelected(new Set()) }
}

function DeadLetterList({ filters }: { filters: DeadLetterFilters }) {
  const api = useApi()
  const refetchInterval = useRefetchInterval()
  const list = useInfiniteQuery({ ...deadLettersQuery(api, filters), refetchInterval, placeholderData: (old) => old })
  const [result, setResult] = useState<RetryResult>()
  const [hovered, setHovered] = useState(false)
  const { selected, select, clear } = useSelection()
  const all = useMemo(() => list.data?.pages.flatMap(({ items }) => items) ?? [], [list.data])
  const { items, held } = useSteadyList(all, (hovered || selected.size > 0) && !list.isPlaceholderData)
  const groups = useMemo(() => groupDeadLetters(items), [items])
  if (list.isPending) return <SkeletonRows rows={8} columns={4} />
  if (list.isError && items.length === 0) return <ErrorNotice error={list.error} onRetry={() => void list.refetch()} />
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: only watches where the pointer is
    <div onMouseEnter={() => setHovered(true)} onMouseLeave={() => setHovered(false)}>
      {result && <RetryOutcomes result={result} onClose={() => setResult(undefined)} />}
      <DeadLettersBar chosen={items.filter(({ id }) => selected.has(id))} onClear={clear} onRetried={setResult} />
      {held > 0 && (
        <button
          type="button"
          className="banner dead-letters-new"
          onClick={() => {
            setHovered(false)
            clear()
          }}
        >
          {plural(held, 'new dead letter')}, show
        </button>
      )}
      <MatchingBar filters={filters} loaded={items} more={list.hasNextPage} onRetried={setResult} />
      {groups.length === 0 && <NoDeadLetters filters={filters} />}
      <DeadLetterGroups
        groups={groups}
        more={list.hasNextPage}
        selected={selected}
        {...(filters.state === 'open' ? { onSelect: select } : {})}
      />
      {list.hasNextPage && (
        <div className="dead-letters-more">
          <Button busy={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>
            Older dead letters
          </Button>
        </div>
      )}
    </div>
  )
}
