import { useInfiniteQuery } from '@tanstack/react-query'
import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { useMemo, useState } from 'react'
import { useRefetchInterval } from '../api/live'
import { useApi } from '../api/use-api'
import { ErrorNotice } from '../shell/error-notice'
import { PageHead } from '../shell/page-head'
import { Button } from '../ui/button'
import { plural } from '../ui/format'
import { Notice, SkeletonRows } from '../ui/states'
import { useListCursor } from '../ui/use-list-cursor'
import { useSteadyList } from '../ui/use-steady-list'
import { ExampleCards } from '../workflows/example-cards'
import { BulkBar } from './bulk-bar'
import { BulkProgress } from './bulk-progress'
import { filtersOf, type RunFilters } from './run-filters'
import { runsQuery } from './run-queries'
import { RunsFilters } from './runs-filters'
import { RunsTable } from './runs-table'
import './runs.css'

export function RunsPage() {
  const { project } = useParams({ from: '/p/$project' })
  const search = useSearch({ strict: false })
  const navigate = useNavigate()
  const filters = useMemo(() => filtersOf(search), [search])
  // Above the list, which may be empty when the job is done.
  const [jobId, setJobId] = useState<string>()
  const setFilters = (next: RunFilters) =>
    void navigate({ to: '/p/$project/runs', params: { project }, search: { ...next }, replace: true })
  return (
    <>
      <PageHead title="Runs">
        <RunsFilters filters={filters} onChange={setFilters} />
      </PageHead>
      <div className="page-body">
        {jobId && <BulkProgress key={jobId} id={jobId} onClose={() => setJobId(undefined)} />}
        <RunsList key={project} filters={filters} onClear={() => setFilters({})} onBulk={setJobId} />
      </div>
    </>
  )
}

interface RunsListProps {
  filters: RunFilters
  onClear: () => void
  onBulk: (jobId: string) => void
}

function RunsList({ filters, onClear, onBulk }: RunsListProps) {
  const api = useApi()
  const navigate = useNavigate()
  const refetchInterval = useRefetchInterval()
  const list = useInfiniteQuery({ ...runsQuery(api, filters), refetchInterval, placeholderData: (old) => old })
  const [hovered, setHovered] = useState(false)
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set())
  const all = useMemo(() => list.data?.pages.flatMap(({ items }) => items) ?? [], [list.data])
  const { items, held } = useSteadyList(all, (hovered || selected.size > 0) && !list.isPlaceholderData)
  const toggle = (id: string) =>
    setSelected((old) => {
      const next = new Set(old)
      if (!next.delete(id)) next.add(id)
      return next
    })
  const toggleAll = () =>
    setSelected((old) => (items.every(({ id }) => old.has(id)) ? new Set() : new Set(items.map(({ id }) => id))))
  const showNew = () => {
    setHovered(false)
    setSelected(new Set())
  }
  const open = (index: number) => {
    const run = items[index]
    if (run) void navigate({ to: '/p/$project/runs/$runId', params: { project: api.project, runId: run.id } })
  }
  const at = useListCursor({
    count: items.length,
    onOpen: open,
    onSelect: (index) => items[index] && toggle(items[index].id),
    searchId: 'runs-search',
  })
  if (list.isPending) return <SkeletonRows rows={12} columns={6} />
  if (list.isError && items.length === 0) return <ErrorNotice error={list.error} onRetry={() => void list.refetch()} />
  if (items.length === 0) return <NoRuns filtered={Object.keys(filters).length > 0} onClear={onClear} />
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: only watches where the pointer is
    <div onMouseEnter={() => setHovered(true)} onMouseLeave={() => setHovered(false)}>
      <BulkBar
        runs={items.filter(({ id }) => selected.has(id))}
        filters={filters}
        moreMatch={list.hasNextPage && items.every(({ id }) => selected.has(id))}
        onStarted={onBulk}
        onDone={() => setSelected(new Set())}
      />
      {held > 0 && (
        <button type="button" className="list-new" onClick={showNew}>
          {plural(held, 'new run')}, show
        </button>
      )}
      <RunsTable runs={items} selected={selected} onToggle={toggle} onToggleAll={toggleAll} activeIndex={at} />
      {list.hasNextPage && (
        <div className="list-more">
          <Button busy={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>
            Older runs
          </Button>
        </div>
      )}
    </div>
  )
}

function NoRuns({ filtered, onClear }: { filtered: boolean; onClear: () => void }) {
  if (filtered) {
    return (
      <Notice icon="search" title="No runs match" actions={<Button onClick={onClear}>Clear the filters</Button>}>
        <p>Runs that come to match appear here by themselves.</p>
      </Notice>
    )
  }
  return (
    <>
      <Notice icon="runs" title="No runs yet">
        <p>A run is one execution of a workflow. Create and start an example, and watch it work.</p>
      </Notice>
      <ExampleCards />
    </>
  )
}
